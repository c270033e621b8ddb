"""Checked, sharded and parallel functions that update what they capture."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx
from jax.experimental import checkify
from jax.sharding import PartitionSpec as P


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


def checked(net: Net, x: jax.Array):
    def run(x: jax.Array, net):
        checkify.check(x.sum() > 0, "must be positive")
        return net(x)

    error, y = nnx.jit(nnx.checkify(run))(x, net)
    error.throw()
    return y


def forward(net: Net, x: jax.Array):
    return net.linear(x)


def checked_further_in(net: Net, x: jax.Array):
    @nnx.jit
    def run(x: jax.Array, net):
        return nnx.checkify(forward)(net, x)[1]

    return run(x, net)


def sharded(net: Net, xs: jax.Array):
    mesh = jax.make_mesh((1,), ("data",), axis_types=(jax.sharding.AxisType.Auto,))

    @functools.partial(nnx.shard_map, mesh=mesh, in_specs=(P("data"), P()), out_specs=P("data"))
    def run(x: jax.Array, net):
        return net(x)

    each = nnx.shard_map(
        lambda x, net: net(x), mesh=mesh, in_specs=(P("data"), P()), out_specs=P("data")
    )
    return run(xs, net) + each(xs, net)


def parallel(net: Net, xs: jax.Array):
    return nnx.pmap(lambda x, net: net(x), in_axes=(0, None))(xs, net)
