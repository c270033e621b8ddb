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
        @nnx.jit
        def run(x, self):
            return self(x)

        return run(x, self)

    def repeated(self, x: jax.Array):
        def step(i, carry):
            x, self = carry
            return self(x) + i, self

        return nnx.fori_loop(0, 3, step, (x, self))[0]


def compiled_in_part(net: Net, x: jax.Array):
    @functools.partial(nnx.jit, static_argnums=1)
    def run(x: jax.Array, scale: int, net):
        return net(x) * scale

    return run(x, 2, net)


def mapped(net: Net, xs: jax.Array):
    return nnx.vmap(lambda x, net: net.layers(x), in_axes=(1, None), out_axes=1)(xs, net)


def gradient(net: Net, x: jax.Array):
    def loss_fn(x: jax.Array, net):
        y = net(x)
        return jnp.sum(y**2), y

    (loss, y), grads = nnx.value_and_grad(loss_fn, has_aux=True)(x, net)
    return loss, y, grads


def slope(net: Net, x: jax.Array):
    return nnx.grad(lambda x, net: net(x).sum())(x, net)


def checkpointed(net: Net, x: jax.Array):
    @nnx.remat
    def run(x: jax.Array, net):
        return net(x)

    return run(x, net) + nnx.remat(lambda x, net: net.layers(x))(x, net)


def chosen(net: Net, flag: jax.Array, x: jax.Array):
    first = nnx.cond(flag, lambda x, net: net(x), lambda x, net: x, x, net)
    return first + nnx.switch(0, [lambda x, net: net.layers(x), lambda x, net: x * 2], x, net)


def decoded(net: Net, x: jax.Array):
    def body(carry):
        i, x, net = carry
        return i + 1, net(x), net

    _, x, _ = nnx.while_loop(lambda carry: carry[0] < 3, body, (0, x, net))
    return x


def threaded(net: Net, x: jax.Array):
    """Every level between is given it."""

    @nnx.jit
    def outer(x, net):
        def body(i, carry):
            x, net = carry
            return nnx.remat(lambda x, net: net(x))(x, net), net

        return nnx.fori_loop(0, 2, body, (x, net))[0]

    return outer(x, net)


def one_by_one(net: Net, xs: jax.Array):
    def one(x: jax.Array, net):
        """Returns early, or later."""
        if x is None:
            return (x, x), net
        y = net(x)
        return (y, y * 2), net

    first, second = nnx.scan(one, in_axes=(0, nnx.Carry), out_axes=(0, nnx.Carry))(xs, net)[0]
    return first, second, jax.lax.map(lambda x: net.layers.blocks.kernel[0] @ x, xs)


def layer_by_layer(layers: Layers, xs: jax.Array):
    return nnx.scan(lambda x, layers: layers(x), in_axes=(0, None), out_axes=0)(xs, layers)


def abstract(net: Net, x: jax.Array):
    def run(x: jax.Array, net):
        return net(x)

    shape = nnx.eval_shape(run, x, net).shape
    return shape, nnx.eval_shape(lambda net: net(x) * 2, net).shape


def traced(net: Net, x: jax.Array):
    return len(jax.make_jaxpr(lambda x, net: net(x))(x, net).out_avals)


def lost(net: Net, x: jax.Array):
    """What jax does to an argument is lost today, and will be."""

    def step(net: Net, x: jax.Array):
        return net(x)

    y = jax.jit(step)(net, x) + jax.checkpoint(step)(net, x)
    return y + jax.lax.cond(True, step, lambda net, x: x, net, x)


def only_read(net: Net, x: jax.Array):
    linear = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    return jax.jit(lambda x: linear(x))(x), jax.vmap(lambda x: linear(x))(x[None])
