"""A forward pass in parallel: nobody asks where the arrays lie."""

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import PartitionSpec as P

mesh = jax.sharding.Mesh(jax.devices()[:1], ("data",))


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.calls = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.calls[...] += 1
        return self.linear(x)


@nnx.shard_map(mesh=mesh, in_specs=(P(), P("data")), out_specs=P("data"))
def forward(model: Net, x):
    return model(x)
