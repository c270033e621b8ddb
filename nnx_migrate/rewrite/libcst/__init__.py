"""Edits as LibCST transformers; imported only when a file is rewritten in this way."""
