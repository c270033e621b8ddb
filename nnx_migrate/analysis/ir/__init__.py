"""The compact record of a file, and how it is built from a syntax tree."""
