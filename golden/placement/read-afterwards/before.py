"""A forward pass in parallel, which leaves the model where the mesh is."""

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import NamedSharding
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


def variables(kernel: nnx.Param, count: nnx.Variable, x):
    count[...] += 1
    return x @ kernel[...]


def on_the_mesh(variable: nnx.Variable):
    return isinstance(variable[...].sharding, NamedSharding)


def placed(model: Net, x):
    y = forward(model, x)
    kernel, count = nnx.Param(jnp.ones((2, 3))), nnx.Variable(jnp.zeros(()))
    parallel = nnx.shard_map(variables, mesh=mesh, in_specs=(P(), P(), P("data")), out_specs=P("data"))
    z = parallel(kernel, count, x)
    return y, z, [on_the_mesh(v) for v in (model.linear.kernel, model.calls, kernel, count)]
