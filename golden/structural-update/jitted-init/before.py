import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    @nnx.jit
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.scale = nnx.Param(jnp.ones(3))

    def __call__(self, x: jax.Array):
        return self.scale * self.linear(x)
