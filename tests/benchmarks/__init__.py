"""Timings of the real program, printed rather than asserted."""
