"""What flax.nnx itself defines: its classes, functions and transforms."""
