"""Edits as spans of text, and their history over several rounds."""
