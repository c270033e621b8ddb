"""`nnx-migrate server`."""
