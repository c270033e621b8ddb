"""A run: discover, plan, write; and undo."""
