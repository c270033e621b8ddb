"""Names of this project for what it uses of nnx."""

import flax.nnx
from flax.nnx import grad as gradient

slope = flax.nnx.grad
