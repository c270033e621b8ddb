"""Two observations beside each other, and the verdict."""
