"""Syntax that is newer than the Python that runs this: read by LibCST, told as `ast` would."""
