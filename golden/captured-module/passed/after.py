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
        return nnx.cond(flag, lambda x, self: self(x), lambda x, self: x, x, self)

    def chosen(self, index: jax.Array, x: jax.Array):
        def once(x, self):
            return self(x)

        def twice(x, self):
            # in a row
            return self(self(x))

        return nnx.switch(index, [once, twice, lambda x, self: x * 2], x, self)

    def without_operands(self, flag: jax.Array, x: jax.Array):
        return x + nnx.cond(
            flag, lambda self: self.calls[...] * 1.0, lambda self: self(jnp.ones(2)).sum(), self
        )

    def checkpointed(self, x: jax.Array):
        @nnx.remat
        def run(x, self):
            return self(x)

        return run(x, self)


def gradient(net: Net, x: jax.Array):
    def loss_fn(x: jax.Array, net):
        return jnp.sum(net(x) ** 2)

    return nnx.value_and_grad(loss_fn)(x, net)


def noisy_gradient(net: Net, rngs: nnx.Rngs, x: jax.Array):
    def loss_fn(params, nondiff, x, rngs):
        linear = nnx.merge(graphdef, params, nondiff)
        return jnp.sum(linear(x + rngs.noise.normal(x.shape)) ** 2)

    grad_fn = nnx.grad(loss_fn)
    graphdef, params, nondiff = nnx.split(net.linear, nnx.Param, ...)
    return nnx.state(grad_fn(params, nondiff, x, rngs), nnx.Param)


def compiled(net: Net, x: jax.Array):
    @nnx.jit
    def step(x, net):
        return net(x)

    return step(x, net)


def mapped(net: Net, xs: jax.Array):
    def one(x: jax.Array, net):
        net.calls[...] += 1
        return net.linear(x)

    return nnx.vmap(one, in_axes=(0, None))(xs, net)


def mapped_columns(net: Net, xs: jax.Array, ys: jax.Array):
    @nnx.vmap(in_axes=(1, None, None), out_axes=1)
    def one(x: jax.Array, y: jax.Array, net):
        return nnx.remat(apply)(net.linear, x) + y

    return one(xs, ys, net)


def apply(linear: nnx.Linear, x: jax.Array):
    return linear(x)


def scanned(net: Net, xs: jax.Array):
    linear = net.linear

    @nnx.scan(in_axes=(nnx.Carry, 0, None))
    def step(carry: jax.Array, x: jax.Array, linear):
        return nnx.remat(apply)(linear, carry) + x, carry

    return step(jnp.zeros(2), xs, linear)


def threaded(net: Net, flag: jax.Array, x: jax.Array):
    """Every level between is given it."""

    def outer(x, net):
        def body(i, carry):
            x, net = carry
            return nnx.cond(flag, lambda x, net: net(x), lambda x, net: x, x, net), net

        return nnx.fori_loop(0, 2, body, (x, net))[0]

    return nnx.remat(outer)(x, net)


def called_with_it(net: Net, x: jax.Array):
    return nnx.jit(lambda x, net: looped(net, x))(x, net)


def looped(net: Net, x: jax.Array):
    def body(i, carry):
        x, net = carry
        return net(x), net

    return nnx.fori_loop(0, 2, body, (x, net))[0]
