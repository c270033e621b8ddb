import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


@nnx.split_rngs(splits=2)
@nnx.vmap
def create(rngs: nnx.Rngs) -> Net:
    return Net(rngs)


@nnx.vmap(in_axes=(0, None))
def forward(net: Net, x: jax.Array):
    return net(x)


@functools.partial(nnx.vmap, in_axes=1, out_axes=1)
def columns(x, y):
    return x * y.sum()


@nnx.vmap(in_axes=(0, None, None))
def scaled(net: Net, x: jax.Array, scale: float = 2.0):
    return scale * net(x)


@nnx.vmap
def rows(x, y):  # axis 0 is what tree mode maps keywords over
    return x * y


def run(net: Net, x: jax.Array):
    first = forward(net, x)
    second = columns(x, x)  # silent: another axis
    third = scaled(net, x, 2.0)
    fourth = rows(x, y=x)
    return first, second, third, fourth
