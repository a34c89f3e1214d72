"""Views of what happens inside the model, each a dock of its own."""
