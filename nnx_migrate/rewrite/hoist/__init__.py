"""What a function sets of its parameters is set by its callers."""
