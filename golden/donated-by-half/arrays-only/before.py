import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


@functools.partial(nnx.jit, donate_argnames=("hidden",))
def step(model: Net, hidden: jax.Array):
    return jnp.tanh(model.linear(hidden))


def run(model: Net, hidden: jax.Array):
    for _ in range(2):
        hidden = step(model, hidden)
    return hidden
