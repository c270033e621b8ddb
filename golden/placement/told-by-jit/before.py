"""Modules that a jitted function spreads over a mesh: an idiom that computes nothing, and a forward pass."""

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:2]), ("data",))
replicated = NamedSharding(mesh, P())
sharded = NamedSharding(mesh, P("data"))
by_kind = nnx.StateSharding({nnx.Param: sharded, ...: replicated})


class Net(nnx.Module):
    def __init__(self):
        self.kernel = nnx.Param(jnp.ones((4, 2)))
        self.mean = nnx.BatchStat(jnp.zeros((2,)))
        self.calls = nnx.Variable(jnp.zeros(()))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.calls[...] += 1
        return x @ self.kernel[...] - self.mean[...]


@nnx.jit(in_shardings=(by_kind,))
def place(model: Net):
    pass


@nnx.jit(in_shardings=(replicated, sharded))
def forward(model: Net, x: jax.Array):
    return model(x)


@nnx.jit(in_shardings=(None, sharded))
def placed_before(model: Net, x: jax.Array):
    return model(x)
