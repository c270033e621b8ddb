"""What containers hold, and Modules taken apart and put together."""
