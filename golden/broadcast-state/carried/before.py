import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


@nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def step(model: Noisy, x):
    return model, model(x)


@nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
def through(layer: Noisy, x):
    return layer(x)


@nnx.split_rngs(splits=3)
@nnx.vmap
def layers(rngs: nnx.Rngs):
    return Noisy(rngs)
