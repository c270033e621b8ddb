"""What a checkified function does to its model; and one that only reads."""

import jax.numpy as jnp
from flax import nnx
from jax.experimental import checkify


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


def remember(net: Net, x):
    y = net(x)
    checkify.check(jnp.all(x > 0), "not positive")
    net.last = nnx.Variable(y)
    return y


def read(net: Net, x):
    checkify.check(jnp.all(x > 0), "not positive")
    return net(x)


checked = nnx.compat.checkify(remember)
checked_read = nnx.checkify(read)
