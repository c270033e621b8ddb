"""Models that are no trees, taken apart and copied: tied from outside, and told to be none."""

import jax
import jax.numpy as jnp
from flax import nnx


class Pair(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.left = nnx.Linear(2, 2, rngs=rngs)
        self.right = nnx.Linear(2, 2, rngs=rngs)


class Opaque(nnx.Pytree, pytree=False):
    def __init__(self):
        self.values = [nnx.Variable(jnp.arange(2.0)), 3]


def tied(rngs: nnx.Rngs):
    pair = Pair(rngs)
    pair.right.kernel = pair.left.kernel
    graphdef, state = nnx.compat.split(pair)
    merged = nnx.merge(graphdef, jax.tree.map(lambda v: v * 2, state))
    return nnx.compat.state(pair, nnx.Param), merged.right.kernel is merged.left.kernel, nnx.compat.clone(pair)


@nnx.jit(graph=True, graph_updates=False)
def doubled(opaque: Opaque):
    opaque.values[0][...] *= 2
    return opaque.values[0][...]


def by_a_private_path(rngs: nnx.Rngs):
    pair = Pair(rngs)
    pair.right.bias = pair.left.bias
    return nnx.compat.split(pair)[1]


def swapped(rngs: nnx.Rngs):
    other = nnx.Sequential(nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs))
    return nnx.state(other)
