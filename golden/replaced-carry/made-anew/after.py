"""Scans over States and Variables that the body makes anew."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))


def shifted(net: Net, xs):
    def body(state, x):
        state = jax.tree.map(lambda leaf: leaf + x, state)
        return state, x

    return nnx.compat.scan(body)(nnx.state(net), xs)


@nnx.compat.scan(in_axes=(0, nnx.Carry), out_axes=(0, nnx.Carry))
def summed(x, total: nnx.Variable):
    return x, nnx.Variable(total[...] + x)


def paired(net: Net, xs):
    def body(carry, x):
        state, count = carry
        return (jax.tree.map(lambda leaf: leaf * x, state), count + 1)

    return nnx.compat.scan(body, in_axes=(nnx.Carry, 0), out_axes=nnx.Carry)(
        (nnx.state(net), 0), xs
    )
