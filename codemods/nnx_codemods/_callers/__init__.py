"""All calls of a function, and whether all of them are seen."""
