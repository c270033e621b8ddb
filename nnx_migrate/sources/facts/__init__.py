"""What runs of a program have shown: the file that `nnx-migrate observe` writes."""
