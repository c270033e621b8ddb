"""What a traced function captures, where its parameters, or those of a helper, have defaults."""

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


def repeated(net: Net, x: jax.Array):
    def body(i, x, scale=2.0):
        return net(x) * scale

    return nnx.fori_loop(0, 3, body, x)


def decoded(net: Net, x: jax.Array):
    def body(carry, scale=0.5):
        i, x = carry
        return i + 1, net(x) * scale

    out = nnx.while_loop(lambda carry, length=3: carry[0] < length, body, (0, x))
    return out[1]


def chosen(net: Net, flag: jax.Array, x: jax.Array):
    def full(x, scale=2.0):
        return net(x) * scale

    return nnx.cond(flag, full, lambda x: x, x)


def saved(net: Net, x: jax.Array):
    @nnx.remat
    def run(x, scale=2.0):
        return net(x) * scale

    return run(x)


def scaled(net: Net, x: jax.Array):
    def helper(x, scale=1.0):
        return net(x) * scale

    return nnx.fori_loop(0, 2, lambda i, x: helper(x) + helper(x, scale=3.0), x)


def forwarded(net: Net, x: jax.Array):
    def helper(*args, shift: float = 1.0):
        return net(*args) + shift

    def twice(x, **options):
        return helper(x, shift=options["shift"]) * len(options)

    def both(
        x,
        factor=2.0,  # by how much
    ):
        return helper(twice(x, shift=0.5)) * factor

    return nnx.cond(True, lambda x: both(x), lambda x: x, x)


def rolled(net: Net, xs: jax.Array):
    def advance(x, *, by):
        return net(x) + by

    def step(x, y):
        x = advance(x, by=y)
        return x, x * 2

    x, ys = nnx.scan(step)(jnp.zeros(2), xs)
    return x, ys


def summed(net: Net, x: jax.Array):
    def loss(x, weight=2.0):
        return jnp.sum(net(x) ** 2) * weight

    value, grads = nnx.value_and_grad(loss)(x)
    return value, grads.shape
