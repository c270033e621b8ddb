"""Scans of which the body updates what it captures."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.drop(self.linear(x))

    def rolled(self, xs: jax.Array):
        @nnx.scan
        def step(x: jax.Array, y: jax.Array):
            return self(x) + y, self.calls[...]

        both = step(jnp.zeros(2), xs)  # not taken apart here
        return both


def carry_alone(net: Net, x: jax.Array):
    @nnx.scan(in_axes=nnx.Carry, out_axes=nnx.Carry, length=3)
    def step(x):
        return net(x)

    return step(x)


def several(net: Net, rngs: nnx.Rngs, xs: jax.Array):
    linear = net.linear

    def step(carry, x):
        """Two things are carried."""
        i, y = carry  # in a tuple
        noise = rngs.noise.normal(x.shape)
        if i is None:
            return carry, (x, y)
        return (i + 1, linear(y) + x), (noise, y)

    (i, y), outputs = nnx.scan(step, in_axes=(nnx.Carry, 0))((jnp.array(0), jnp.zeros(2)), xs)
    return i, y, outputs


def in_another_place(net: Net, xs: jax.Array):
    @nnx.scan(in_axes=(0, nnx.Carry), out_axes=(0, nnx.Carry))
    def step(x, carry):
        total, last = carry
        return x - last, (total + net(x).sum(), x)

    differences, (total, last) = step(xs, (jnp.array(0.0), jnp.zeros(2)))
    return differences, total, last


def results_by_number(net: Net, xs: jax.Array):
    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def step(y, x):
        y = net(y) + x
        return y, y * 2

    return step(jnp.zeros(2), xs)[0], step(jnp.ones(2), xs)[-1]


def in_one_line(net: Net, xs: jax.Array):
    total, _ = nnx.scan(lambda c, x: (net(c) + x, None))(jnp.zeros(2), xs)
    return total
