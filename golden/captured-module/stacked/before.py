"""Transforms around each other, and calls by keyword, over functions that update what they capture."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)

    def mapped(self, xs: jax.Array):
        @nnx.jit
        @nnx.vmap(in_axes=0)
        def run(x: jax.Array):
            return self(x)

        return run(xs)


def gradients(net: Net, xs: jax.Array):
    @nnx.jit
    @functools.partial(nnx.vmap, in_axes=(0, None))
    @nnx.grad
    def loss_fn(x: jax.Array, scale: jax.Array):
        return jnp.sum(net(x) * scale)

    return loss_fn(xs, jnp.array(2.0))


def in_one_expression(net: Net, xs: jax.Array):
    return nnx.jit(nnx.vmap(lambda x: net(x), in_axes=1, out_axes=1))(xs)


def by_name(net: Net, x: jax.Array):
    def loss_fn(x: jax.Array):
        y = nnx.remat(lambda x: net(x))(x)
        return jnp.sum(y)

    grad_fn = jax.jit(jax.value_and_grad(loss_fn))
    return grad_fn(x)


def called_by_keyword(net: Net, x: jax.Array):
    @nnx.jit
    def run(x: jax.Array, scale: jax.Array):
        return net(x) * scale

    @jax.value_and_grad
    def loss_fn(x: jax.Array, scale: jax.Array):
        return jnp.sum(net(x) * scale)

    return run(x, scale=jnp.array(2.0)), loss_fn(x, scale=jnp.array(3.0))
