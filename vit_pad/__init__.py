"""The window of ViT Pad: Qt widgets that show what the library `training` finds. Nothing in here imports torch."""
