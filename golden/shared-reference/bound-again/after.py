"""A script in the style of a notebook: functions and objects of one name, of which few share."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = nnx.Linear(3, 3, rngs=rngs)
        self.second = nnx.Linear(3, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.second(self.first(x))


x = jnp.ones((2, 3))
net = Net(nnx.Rngs(0))
y1 = jax.tree.leaves(nnx.state(net))

net = Net(nnx.Rngs(1))
net.second = net.first
paths = list(nnx.compat.state(net))

net = Net(nnx.Rngs(2))
y2 = jax.tree.leaves(nnx.state(net))


@nnx.jit(graph=True, graph_updates=False)
def run(one: Net, other: Net, x: jax.Array):
    return one(x) + other(x)


y3 = run(net, net, x)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.only = nnx.Linear(3, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.only(x)


@nnx.jit
def make():
    return Net(nnx.Rngs(3))


@nnx.jit
def run(net: Net, x: jax.Array):
    return net(x)


net = make()
y4 = run(net, x)
