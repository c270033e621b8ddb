"""Methods, partials and models themselves as the functions of transforms, which they are bound to."""

import functools

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

    def skip(self, x: jax.Array):
        return x

    def step(self, carry: tuple[jax.Array, jax.Array]):
        i, x = carry
        return i + 1, self(x)

    def check(self, carry: tuple[jax.Array, jax.Array]):
        return carry[0] < 3

    def advance(self, x: jax.Array, y: jax.Array):
        x = self(x) + y
        return x, x * 2

    def again(self, i: jax.Array, x: jax.Array):
        return self(x) + i

    def loss(self, x: jax.Array):
        return jnp.sum(self(x) ** 2)

    def decoded(self, x: jax.Array):
        _, x = nnx.while_loop(self.check, self.step, (0, x))
        return x

    def repeated(self, x: jax.Array):
        return nnx.fori_loop(0, 3, self.again, x)

    def chosen(self, flag: jax.Array, x: jax.Array):
        return nnx.cond(flag, self.__call__, self.skip, x)

    def rolled(self, xs: jax.Array):
        x, ys = nnx.scan(self.advance)(jnp.zeros(2), xs)
        return x, ys


def mapped(net: Net, xs: jax.Array):
    return nnx.vmap(net.__call__, in_axes=1, out_axes=1)(xs)


def gradient(net: Net, x: jax.Array):
    grad_fn = nnx.value_and_grad(net.loss)
    return grad_fn(x)


def compiled(net: Net, x: jax.Array):
    run = jax.jit(net.__call__)
    return run(x)


def checkpointed(net: Net, x: jax.Array):
    return nnx.remat(functools.partial(net))(x)


def apply(net: Net, x: jax.Array, scale: float):
    return net(x) * scale


def scaled(net: Net, x: jax.Array):
    return nnx.jit(functools.partial(apply, net, scale=2.0))(x)


def scaled_twice(net: Net, flag: jax.Array, x: jax.Array):
    return nnx.cond(flag, functools.partial(apply, net, scale=3.0), lambda x: net(x), x)


def under_a_name(net: Net, x: jax.Array):
    step = functools.partial(apply, net, scale=2.0)
    again = net.again
    return nnx.remat(step)(x) + nnx.fori_loop(0, 2, again, x)


def another_by_then(net: Net, other: Net, x: jax.Array):
    """The function keeps the first one; as an argument it would be the other."""
    run = jax.jit(net.skip)
    handed_on = jax.jit(functools.partial(hand_on, net.linear))
    net = other
    return run(x) + handed_on(x)


def hand_on(linear: nnx.Linear, x: jax.Array):
    return linear(x)


def closed_over(net: Net, xs: jax.Array):
    """The partial binds no object, but the function that it calls captures one."""

    def scale(factor: float, x: jax.Array):
        return net(x) * factor

    return nnx.vmap(functools.partial(scale, 2.0))(xs)


def called(net: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: x, x) + jax.checkpoint(net)(x)


def read(net: Net, x: jax.Array):
    return nnx.cond(True, net.skip, lambda x: x, x), jax.jit(net.linear)(x)
