"""Transforms of jax over functions that update a model, or hand it on: both raise today."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Layers(nnx.Module):
    """Holds nothing but Params, and scans over them."""

    def __init__(self, rngs: nnx.Rngs):
        @nnx.split_rngs(splits=3)
        @nnx.vmap
        def create(rngs: nnx.Rngs):
            return nnx.Linear(2, 2, rngs=rngs)

        self.blocks = create(rngs)

    def __call__(self, x: jax.Array):
        @nnx.scan(in_axes=(0, nnx.Carry), out_axes=nnx.Carry)
        def run(block: nnx.Linear, x: jax.Array):
            return jnp.tanh(block(x))

        return run(self.blocks, x)


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = Layers(rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.drop(self.layers(x))

    def compiled(self, x: jax.Array):
        @jax.jit
        def run(x):
            return self(x)

        return run(x)

    def repeated(self, x: jax.Array):
        def step(i, x):
            return self(x) + i

        return jax.lax.fori_loop(0, 3, step, x)


def compiled_in_part(net: Net, x: jax.Array):
    @functools.partial(jax.jit, static_argnums=1)
    def run(x: jax.Array, scale: int):
        return net(x) * scale

    return run(x, 2)


def mapped(net: Net, xs: jax.Array):
    return jax.vmap(lambda x: net.layers(x), in_axes=1, out_axes=1)(xs)


def gradient(net: Net, x: jax.Array):
    def loss_fn(x: jax.Array):
        y = net(x)
        return jnp.sum(y**2), y

    (loss, y), grads = jax.value_and_grad(loss_fn, has_aux=True)(x)
    return loss, y, grads


def slope(net: Net, x: jax.Array):
    return jax.grad(lambda x: net(x).sum())(x)


def checkpointed(net: Net, x: jax.Array):
    @jax.checkpoint
    def run(x: jax.Array):
        return net(x)

    return run(x) + jax.remat(lambda x: net.layers(x))(x)


def chosen(net: Net, flag: jax.Array, x: jax.Array):
    first = jax.lax.cond(flag, lambda x: net(x), lambda x: x, x)
    return first + jax.lax.switch(0, [lambda x: net.layers(x), lambda x: x * 2], x)


def decoded(net: Net, x: jax.Array):
    def body(carry):
        i, x = carry
        return i + 1, net(x)

    _, x = jax.lax.while_loop(lambda carry: carry[0] < 3, body, (0, x))
    return x


def threaded(net: Net, x: jax.Array):
    """Every level between is given it."""

    @jax.jit
    def outer(x):
        return jax.lax.fori_loop(0, 2, lambda i, x: jax.checkpoint(lambda x: net(x))(x), x)

    return outer(x)


def one_by_one(net: Net, xs: jax.Array):
    def one(x: jax.Array):
        """Returns early, or later."""
        if x is None:
            return x, x
        y = net(x)
        return y, y * 2

    first, second = jax.lax.map(one, xs)
    return first, second, jax.lax.map(lambda x: net.layers.blocks.kernel[0] @ x, xs)


def layer_by_layer(layers: Layers, xs: jax.Array):
    return jax.lax.map(lambda x: layers(x), xs)


def abstract(net: Net, x: jax.Array):
    def run(x: jax.Array):
        return net(x)

    shape = jax.eval_shape(run, x).shape
    return shape, nnx.eval_shape(lambda: net(x) * 2).shape


def traced(net: Net, x: jax.Array):
    return len(jax.make_jaxpr(lambda x: net(x))(x).out_avals)


def lost(net: Net, x: jax.Array):
    """What jax does to an argument is lost today, and will be."""

    def step(net: Net, x: jax.Array):
        return net(x)

    y = jax.jit(step)(net, x) + jax.checkpoint(step)(net, x)
    return y + jax.lax.cond(True, step, lambda net, x: x, net, x)


def only_read(net: Net, x: jax.Array):
    linear = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    return jax.jit(lambda x: linear(x))(x), jax.vmap(lambda x: linear(x))(x[None])
