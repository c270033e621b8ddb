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
        def body(loop_carry):
            carry, self = loop_carry
            return self.step(carry), self

        _, x = nnx.while_loop(
            lambda loop_carry: loop_carry[1].check(loop_carry[0]), body, ((0, x), self)
        )[0]
        return x

    def repeated(self, x: jax.Array):
        def body(i, carry):
            x, self = carry
            return self.again(i, x), self

        return nnx.fori_loop(0, 3, body, (x, self))[0]

    def chosen(self, flag: jax.Array, x: jax.Array):
        return nnx.cond(flag, lambda x, self: self(x), lambda x, self: self.skip(x), x, self)

    def rolled(self, xs: jax.Array):
        def advance_body(carry, y):
            x, self = carry
            x, out = self.advance(x, y)
            return (x, self), out

        (x, _), ys = nnx.scan(advance_body)((jnp.zeros(2), self), xs)
        return x, ys


def mapped(net: Net, xs: jax.Array):
    return nnx.vmap(lambda x, net: net(x), in_axes=(1, None), out_axes=1)(xs, net)


def gradient(net: Net, x: jax.Array):
    grad_fn = nnx.value_and_grad(lambda x, net: net.loss(x))
    return grad_fn(x, net)


def compiled(net: Net, x: jax.Array):
    run = nnx.jit(lambda x, net: net(x))
    return run(x, net)


def checkpointed(net: Net, x: jax.Array):
    return nnx.remat(lambda x, net: net(x))(x, net)


def apply(net: Net, x: jax.Array, scale: float):
    return net(x) * scale


def scaled(net: Net, x: jax.Array):
    return nnx.jit(lambda x, net: apply(net, x, scale=2.0))(x, net)


def scaled_twice(net: Net, flag: jax.Array, x: jax.Array):
    return nnx.cond(flag, lambda x, net: apply(net, x, scale=3.0), lambda x, net: net(x), x, net)


def under_a_name(net: Net, x: jax.Array):
    def body(i, carry):
        x, net = carry
        return net.again(i, x), net

    return nnx.remat(lambda x, net: apply(net, x, scale=2.0))(x, net) + nnx.fori_loop(
        0, 2, body, (x, net)
    )[0]


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

    def scale(factor: float, x: jax.Array, net):
        return net(x) * factor

    return nnx.vmap(lambda x, net: scale(2.0, x, net), in_axes=(0, None))(xs, net)


def called(net: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: x, x) + nnx.remat(lambda x, net: net(x))(x, net)


def read(net: Net, x: jax.Array):
    return nnx.cond(True, net.skip, lambda x: x, x), jax.jit(net.linear)(x)
