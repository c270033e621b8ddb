"""What a traced function captures becomes an argument of it."""
