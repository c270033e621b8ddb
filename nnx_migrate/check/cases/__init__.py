"""What is called with what: case files, recordings, shapes."""
