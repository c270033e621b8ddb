"""Models of library functions: what they return and what they do."""
