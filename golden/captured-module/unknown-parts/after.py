"""A scan that captures what it updates, beside a carry of which nothing shows what it is made of."""

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.count = nnx.Variable(jnp.zeros(()))

    def __call__(self, x):
        self.count[...] += 1
        return self.linear(x)


def rolled(net: Net, start, xs):
    def body(carry, x):
        total, net = carry
        y = net(x)
        return (total + y, net), y

    (carry, _), outputs = nnx.scan(body, in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))(
        (start, net), xs
    )
    return carry, outputs
