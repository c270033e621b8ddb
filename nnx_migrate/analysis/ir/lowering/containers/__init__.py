"""Lists and the like that a function makes."""
