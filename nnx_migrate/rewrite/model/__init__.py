"""What a rule is, what it may decide, and what it sees of a file."""
