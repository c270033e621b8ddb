import functools

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

mesh = Mesh(np.array(jax.devices()[:2]), ("data",))
replicated = NamedSharding(mesh, P())


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


def forward(model: Net, x: jax.Array):
    @functools.partial(nnx.jit, in_shardings=(None, NamedSharding(mesh, P(None, "data")), replicated, replicated), out_shardings=replicated)
    def run_of_state(graphdef, kernel_state, rest, x):
        model = nnx.merge(graphdef, kernel_state, rest)
        return model(x)

    def run(model: Net, x):
        graphdef, kernel_state, rest = nnx.split(model, nnx.PathContains("kernel"), ...)
        return run_of_state(graphdef, kernel_state, rest, x)

    return run(model, x)
