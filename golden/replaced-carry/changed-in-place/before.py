"""Scans that keep the Variables that they carry, or carry none."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))


def shifted(net: Net, xs):
    def body(net, x):
        net.w[...] += x
        return net, x

    return nnx.scan(body)(net, xs)[1]


def of_state(net: Net, xs):
    def body(state, x):
        for leaf in jax.tree.leaves(state, is_leaf=lambda v: isinstance(v, nnx.Variable)):
            leaf[...] = leaf[...] + x
        return state, x

    return nnx.scan(body)(nnx.state(net), xs)[1]


def of_arrays(xs):
    def body(tree, x):
        return jax.tree.map(lambda leaf: leaf + x, tree), x

    return nnx.scan(body)({"a": jnp.zeros(2)}, xs)
