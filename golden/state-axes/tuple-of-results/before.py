import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, key: jax.Array):
        self.w = nnx.Param(jax.random.normal(key, (3,)))
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array) -> jax.Array:
        self.calls[...] += 1
        return self.w * x


axes = nnx.StateAxes({nnx.Param: 0, ...: None})


def make(key: jax.Array):
    net = Net(key)
    return net, net.w.mean()


def step(net: Net, x: jax.Array):
    y = net(x)
    return y.sum(), Net(jax.random.key(7)), y


def create(keys: jax.Array):
    nets, means = nnx.vmap(make, in_axes=0, out_axes=(axes, 0))(keys)
    return nets, means


def create_by_name(keys: jax.Array):
    # One key for each member.
    created = nnx.vmap(make, out_axes=(axes, 0))
    return created(keys)


run = nnx.vmap(step, in_axes=(axes, None), out_axes=(0, axes, 0))


def halves(nets: Net, x: jax.Array):
    split = nnx.vmap(
        lambda net, x: (
            net(x).max(
                axis=0,
            ),
            Net(jax.random.key(3)),
        ),
        in_axes=(axes, None),
        out_axes=(0, axes),
    )
    return split(nets, x)


def twice(nets: Net, x: jax.Array):
    total, others, y = run(nets, x)
    again = run(nets, x)
    return total, others, y, again
