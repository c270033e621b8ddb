"""Code that says its mode itself, call by call, block by block, or for the whole process."""

import os

import jax
import jax.numpy as jnp
from flax import nnx

USES_GRAPHS = os.environ.get("NNX_GRAPH_MODE", "true") != "false"


class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.one = self.two = nnx.Linear(2, 2, rngs=rngs)


def leaves(tied: Tied):
    graphdef, state = nnx.split(tied, graph=True)
    return len(jax.tree.leaves(state))


def in_a_block(tied: Tied):
    with nnx.set_graph_mode(True), nnx.set_graph_updates(True):
        return len(jax.tree.leaves(nnx.state(tied)))


@nnx.jit(graph=True, graph_updates=True)
def doubled(tied: Tied):
    tied.one.kernel[...] *= 2
    return tied.two.kernel[...]


@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def decorated(tied: Tied, x):
    return nnx.jit(lambda tied, x: tied.two(x))(tied, x)


def without_a_mode(x: jax.Array):
    return nnx.jit(lambda x: x * 2)(x)


def plotted(x: jax.Array, graph=False):
    return dict(graph=graph, x=jnp.sum(x))
