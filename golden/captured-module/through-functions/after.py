"""Traced functions that reach a model through functions that they call, which use it from outside."""

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

    def looped(self, x: jax.Array):
        def helper(x: jax.Array, self):
            """It is called outside of the loop too."""
            return self(x)

        def body(i, carry):
            x, self = carry
            return helper(x, self) + i, self

        x, _ = nnx.fori_loop(0, 2, body, (x, self))
        return helper(x, self)

    def deeper(self, x: jax.Array):
        def inner(x, self):
            return self(x)

        def outer(x, scale, self):
            return inner(x=x, self=self) * scale

        def again(x, times, self):
            return outer(x, 2.0, self) if times == 0 else again(x, times - 1, self)

        @nnx.remat
        def run(x, self):
            y = again(x, 2, self)
            return y + self.calls[...]

        return run(x, self)


class Counter(nnx.Module):
    def __init__(self):
        self.count = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.count[...] += 1
        return x * self.count[...]


def several(counter: Counter, rngs: nnx.Rngs, x: jax.Array):
    def noise(rngs):
        return rngs.noise.normal((2,))

    def step(x, counter, rngs):
        return counter(x) + noise(rngs)

    def body(carry):
        i, x, counter, rngs = carry
        return i + 1, step(x, counter, rngs), counter, rngs

    i, x, _, _ = nnx.while_loop(lambda carry: carry[0] < 3, body, (0, x, counter, rngs))
    return i, x


def chosen(net: Net, flag: jax.Array, x: jax.Array):
    def apply(x, net):
        return net(x)

    return nnx.cond(flag, lambda x, net: apply(x, net), lambda x, net: x, x, net)


def scanned(net: Net, xs: jax.Array):
    def apply(x, net):
        return net(x)

    @nnx.scan
    def step(carry, y: jax.Array):
        x, net = carry
        x = apply(x, net)
        return (x, net), x + y

    (x, _), ys = step((jnp.zeros(2), net), xs)
    return x, ys


def traced_inside(net: Net, x: jax.Array):
    def outer(x, net):
        def inner(y, net):
            return net(y)

        return nnx.remat(inner)(x, net)

    return nnx.value_and_grad(lambda x, net: outer(x, net).sum())(x, net)
