"""From the syntax tree of a file to its compact record."""
