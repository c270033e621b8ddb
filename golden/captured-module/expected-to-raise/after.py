"""Programs that stand ready for what raises: they go on in another way, and are left alone."""

import contextlib

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


def fallback(net: Net, x: jax.Array):
    try:
        return nnx.jit(lambda x: net(x))(x)
    except Exception:
        return net.linear(x)


def inside(net: Net, x: jax.Array):
    @jax.jit
    def run(x: jax.Array):
        try:
            return net(x)
        except Exception:
            return net.linear(x) * 2

    return run(x)


def skipped(net: Net, x: jax.Array):
    with contextlib.suppress(Exception):
        x = nnx.fori_loop(0, 2, lambda i, x: net(x), x)
    return x
