"""Functions that another file calls too: their parameters stay what they are."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


net = Net(nnx.Rngs(0))


def predict(x: jax.Array):
    return net(x)


def looped(x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: predict(x), x)


@nnx.remat
def checkpointed(x: jax.Array):
    return net(x)


def _own(x: jax.Array):
    return net(x)


def seen_whole(x: jax.Array):
    """Another file may trace it."""
    return nnx.remat(lambda x: _own(x))(x)
