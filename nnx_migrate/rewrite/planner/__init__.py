"""Rounds over a file: sites are decided, edits are emitted, the rest is pinned."""
