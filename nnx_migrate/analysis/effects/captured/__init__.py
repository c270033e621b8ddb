"""What functions do with objects that they capture."""
