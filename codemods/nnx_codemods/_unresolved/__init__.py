"""What the analysis cannot resolve, and what is said of it."""
