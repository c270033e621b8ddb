"""A step that notes something in the metadata of a Param."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2), note="new")


@nnx.jit
def use(net: Net, x: jax.Array):
    net.w.set_metadata(note="used")
    return net.w[...] * x
