"""The list of what a tree keeps in graph mode."""
