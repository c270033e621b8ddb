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
        def step(carry, y: jax.Array):
            x, self = carry
            return (self(x) + y, self), self.calls[...]

        (carry, _), outputs = step((jnp.zeros(2), self), xs)
        both = carry, outputs  # not taken apart here
        return both


def carry_alone(net: Net, x: jax.Array):
    @nnx.scan(in_axes=nnx.Carry, out_axes=nnx.Carry, length=3)
    def step(carry):
        x, net = carry
        return net(x), net

    return step((x, net))[0]


def several(net: Net, rngs: nnx.Rngs, xs: jax.Array):
    linear = net.linear

    def step(loop_carry, x):
        """Two things are carried."""
        carry, linear, rngs = loop_carry
        i, y = carry  # in a tuple
        noise = rngs.noise.normal(x.shape)
        if i is None:
            return (carry, linear, rngs), (x, y)
        return ((i + 1, linear(y) + x), linear, rngs), (noise, y)

    ((i, y), _, _), outputs = nnx.scan(step, in_axes=(nnx.Carry, 0))(
        ((jnp.array(0), jnp.zeros(2)), linear, rngs), xs
    )
    return i, y, outputs


def in_another_place(net: Net, xs: jax.Array):
    @nnx.scan(in_axes=(0, nnx.Carry), out_axes=(0, nnx.Carry))
    def step(x, carry):
        total, last, net = carry
        return x - last, (total + net(x).sum(), x, net)

    differences, (total, last, _) = step(xs, (jnp.array(0.0), jnp.zeros(2), net))
    return differences, total, last


def results_by_number(net: Net, xs: jax.Array):
    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def step(carry, x):
        y, net = carry
        y = net(y) + x
        return (y, net), y * 2

    return step((jnp.zeros(2), net), xs)[0][0], step((jnp.ones(2), net), xs)[-1]


def in_one_line(net: Net, xs: jax.Array):
    (total, _), _ = nnx.scan(lambda carry, x: ((carry[1](carry[0]) + x, carry[1]), None))(
        (jnp.zeros(2), net), xs
    )
    return total
