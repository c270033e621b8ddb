"""Rules of our own for nnx-migrate."""
