"""Functions of all sorts of transforms that update what they capture, or hand it on."""

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

    def maybe(self, flag: jax.Array, x: jax.Array):
        return nnx.cond(flag, lambda x: self(x), lambda x: x, x)

    def chosen(self, index: jax.Array, x: jax.Array):
        def once(x):
            return self(x)

        def twice(x):
            # in a row
            return self(self(x))

        return nnx.switch(index, [once, twice, lambda x: x * 2], x)

    def without_operands(self, flag: jax.Array, x: jax.Array):
        return x + nnx.cond(flag, lambda: self.calls[...] * 1.0, lambda: self(jnp.ones(2)).sum())

    def checkpointed(self, x: jax.Array):
        @nnx.remat
        def run(x):
            return self(x)

        return run(x)


def gradient(net: Net, x: jax.Array):
    def loss_fn(x: jax.Array):
        return jnp.sum(net(x) ** 2)

    return nnx.value_and_grad(loss_fn)(x)


def noisy_gradient(net: Net, rngs: nnx.Rngs, x: jax.Array):
    grad_fn = nnx.grad(lambda linear, x: jnp.sum(linear(x + rngs.noise.normal(x.shape)) ** 2))
    return nnx.state(grad_fn(net.linear, x), nnx.Param)


def compiled(net: Net, x: jax.Array):
    @nnx.jit
    def step(x):
        return net(x)

    return step(x)


def mapped(net: Net, xs: jax.Array):
    def one(x: jax.Array):
        net.calls[...] += 1
        return net.linear(x)

    return nnx.vmap(one)(xs)


def mapped_columns(net: Net, xs: jax.Array, ys: jax.Array):
    @nnx.vmap(in_axes=(1, None), out_axes=1)
    def one(x: jax.Array, y: jax.Array):
        return nnx.remat(apply)(net.linear, x) + y

    return one(xs, ys)


def apply(linear: nnx.Linear, x: jax.Array):
    return linear(x)


def scanned(net: Net, xs: jax.Array):
    linear = net.linear

    @nnx.scan
    def step(carry: jax.Array, x: jax.Array):
        return nnx.remat(apply)(linear, carry) + x, carry

    return step(jnp.zeros(2), xs)


def threaded(net: Net, flag: jax.Array, x: jax.Array):
    """Every level between is given it."""

    def outer(x):
        def body(i, x):
            return nnx.cond(flag, lambda x: net(x), lambda x: x, x)

        return nnx.fori_loop(0, 2, body, x)

    return nnx.remat(outer)(x)


def called_with_it(net: Net, x: jax.Array):
    return nnx.jit(lambda x: looped(net, x))(x)


def looped(net: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: net(x), x)
