"""nnx-migrate: moves graph-mode Flax NNX code to tree mode and proves that nothing changed."""

__version__ = "0.1.0"
