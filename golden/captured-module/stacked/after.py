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
        @nnx.vmap(in_axes=(0, None))
        def run(x: jax.Array, self):
            return self(x)

        return run(xs, self)


def gradients(net: Net, xs: jax.Array):
    @nnx.jit
    @functools.partial(nnx.vmap, in_axes=(0, None, None))
    @nnx.grad
    def loss_fn(x: jax.Array, scale: jax.Array, net):
        return jnp.sum(net(x) * scale)

    return loss_fn(xs, jnp.array(2.0), net)


def in_one_expression(net: Net, xs: jax.Array):
    return nnx.jit(nnx.vmap(lambda x, net: net(x), in_axes=(1, None), out_axes=1))(xs, net)


def by_name(net: Net, x: jax.Array):
    def loss_fn(x: jax.Array, net):
        y = nnx.remat(lambda x, net: net(x))(x, net)
        return jnp.sum(y)

    grad_fn = nnx.jit(nnx.value_and_grad(loss_fn))
    return grad_fn(x, net)


def called_by_keyword(net: Net, x: jax.Array):
    @nnx.jit
    def run(x: jax.Array, scale: jax.Array, net):
        return net(x) * scale

    @nnx.value_and_grad
    def loss_fn(x: jax.Array, scale: jax.Array, net):
        return jnp.sum(net(x) * scale)

    return run(x, scale=jnp.array(2.0), net=net), loss_fn(x, scale=jnp.array(3.0), net=net)
