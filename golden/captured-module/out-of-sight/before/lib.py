"""Functions over objects of this file, which other files call."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0.0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


net = Net(nnx.Rngs(0))
tail = net.linear
head = nnx.Linear(2, 2, rngs=nnx.Rngs(1))
rngs = nnx.Rngs(2)


class Noise(nnx.Module):
    """It draws from streams that it does not hold."""

    def __call__(self, x: jax.Array):
        return x + rngs.noise.normal(x.shape)


def noisy(x: jax.Array):
    return x + rngs.noise.normal(x.shape)


def counted(x: jax.Array):
    return net(noisy(x))


def only_read(x: jax.Array):
    return head(x)


def maybe_noisy(x: jax.Array, training: bool = False):
    if training:
        return noisy(x)
    return x


def calls():
    return net.calls[...]


def last(x: jax.Array):
    return tail(x)
