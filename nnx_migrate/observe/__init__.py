"""`nnx-migrate observe`: a command runs unchanged, and what its functions get is written down.

Nothing here imports jax or flax; the command does, or does not.
"""
