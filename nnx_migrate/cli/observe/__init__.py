"""`nnx-migrate observe`, and what `apply` does with its facts."""
