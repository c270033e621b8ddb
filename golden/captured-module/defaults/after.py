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
    def body(i, carry, scale=2.0):
        x, net = carry
        return net(x) * scale, net

    return nnx.fori_loop(0, 3, body, (x, net))[0]


def decoded(net: Net, x: jax.Array):
    def body(carry, scale=0.5):
        i, x, net = carry
        return i + 1, net(x) * scale, net

    out = nnx.while_loop(lambda carry, length=3: carry[0] < length, body, (0, x, net))
    return out[1]


def chosen(net: Net, flag: jax.Array, x: jax.Array):
    def full(x, net, scale=2.0):
        return net(x) * scale

    return nnx.cond(flag, full, lambda x, net: x, x, net)


def saved(net: Net, x: jax.Array):
    @nnx.remat
    def run(x, net, scale=2.0):
        return net(x) * scale

    return run(x, net)


def scaled(net: Net, x: jax.Array):
    def helper(x, scale=1.0, *, net):
        return net(x) * scale

    def body(i, carry):
        x, net = carry
        return helper(x, net=net) + helper(x, scale=3.0, net=net), net

    return nnx.fori_loop(0, 2, body, (x, net))[0]


def forwarded(net: Net, x: jax.Array):
    def helper(*args, shift: float = 1.0, net):
        return net(*args) + shift

    def twice(x, *, net, **options):
        return helper(x, shift=options["shift"], net=net) * len(options)

    def both(
        x,
        factor=2.0, *, net,  # by how much
    ):
        return helper(twice(x, shift=0.5, net=net), net=net) * factor

    return nnx.cond(True, lambda x, net: both(x, net=net), lambda x, net: x, x, net)


def rolled(net: Net, xs: jax.Array):
    def advance(x, *, by, net):
        return net(x) + by

    def step(carry, y):
        x, net = carry
        x = advance(x, by=y, net=net)
        return (x, net), x * 2

    (x, _), ys = nnx.scan(step)((jnp.zeros(2), net), xs)
    return x, ys


def summed(net: Net, x: jax.Array):
    def loss(x, net, weight=2.0):
        return jnp.sum(net(x) ** 2) * weight

    value, grads = nnx.value_and_grad(loss)(x, net)
    return value, grads.shape
