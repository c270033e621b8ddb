"""What the functions of a loop capture becomes part of its carry."""
