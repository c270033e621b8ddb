import jax
import jax.numpy as jnp
from flax import nnx


class Walker(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.scale = nnx.Param(jnp.array(0.5))
        self.rngs = rngs

    def walk(self, start: jax.Array, length: int):
        @nnx.scan(in_axes=(None, nnx.Carry), out_axes=(nnx.Carry, 0), length=length)
        def step(rngs: nnx.Rngs, position):
            rngs = nnx.clone(rngs)  # each iteration updates its own copy
            noise = jax.random.normal(rngs.noise(), position.shape)
            position = position + self.scale[...] * noise
            return position, position

        return step(self.rngs, start)
