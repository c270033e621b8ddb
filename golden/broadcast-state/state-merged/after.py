import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


def rows(model: Noisy, xs):
    graphdef, state = nnx.split(model)

    def body(state, x):
        state = nnx.clone(state)  # each iteration updates its own copy
        return nnx.merge(graphdef, state)(x)

    return nnx.scan(body, in_axes=(None, 0), out_axes=0)(state, xs)
