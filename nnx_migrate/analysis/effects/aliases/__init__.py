"""What of a function is, or holds, an object that it was given: may-alias."""
