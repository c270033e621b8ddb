"""Pins that stand in a file: found by their shape, taken out, put back as they stood."""
