import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    """A noisy channel."""

    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


@nnx.scan(in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
def body(model: Noisy, h, x):
    """One step; the mask is that of the whole sequence."""
    model = nnx.clone(model)  # each iteration updates its own copy
    h = jnp.tanh(model(h) + x)
    return h, h


def run(model: Noisy, xs):
    return body(model, jnp.zeros(2), xs)
