import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def step(self, carry: jax.Array, x: jax.Array):
        carry = jnp.tanh(self.linear(carry) + x)
        return carry, carry.sum()


def transition(gain: float, net: Net, carry: jax.Array, x: jax.Array, shift: float = 0.0):
    carry, total = net.step(carry, gain * x + shift)
    return carry, total


def unroll(net: Net, carry: jax.Array, xs: jax.Array):
    step = functools.partial(transition, 2.0, shift=0.5)
    run = nnx.scan(step, in_axes=(None, nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    return run(net, carry, xs)


def columns(gain: float, x: jax.Array, y: jax.Array):
    return gain * x * y.sum()


def mapped(xs: jax.Array):
    step = functools.partial(columns, 2.0)
    return nnx.vmap(step, in_axes=1, out_axes=1)(xs, xs)


def run(net: Net, carry: jax.Array, xs: jax.Array):
    return unroll(net, carry, xs), mapped(xs)
