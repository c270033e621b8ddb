"""Modes and flags of objects that a traced function sets first: they are set before its calls."""
