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
        def helper(x: jax.Array):
            """It is called outside of the loop too."""
            return self(x)

        x = nnx.fori_loop(0, 2, lambda i, x: helper(x) + i, x)
        return helper(x)

    def deeper(self, x: jax.Array):
        def inner(x):
            return self(x)

        def outer(x, scale):
            return inner(x=x) * scale

        def again(x, times):
            return outer(x, 2.0) if times == 0 else again(x, times - 1)

        @nnx.remat
        def run(x):
            y = again(x, 2)
            return y + self.calls[...]

        return run(x)


class Counter(nnx.Module):
    def __init__(self):
        self.count = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.count[...] += 1
        return x * self.count[...]


def several(counter: Counter, rngs: nnx.Rngs, x: jax.Array):
    def noise():
        return rngs.noise.normal((2,))

    def step(x):
        return counter(x) + noise()

    def body(carry):
        i, x = carry
        return i + 1, step(x)

    i, x = nnx.while_loop(lambda carry: carry[0] < 3, body, (0, x))
    return i, x


def chosen(net: Net, flag: jax.Array, x: jax.Array):
    def apply(x):
        return net(x)

    return nnx.cond(flag, lambda x: apply(x), lambda x: x, x)


def scanned(net: Net, xs: jax.Array):
    def apply(x):
        return net(x)

    @nnx.scan
    def step(x: jax.Array, y: jax.Array):
        x = apply(x)
        return x, x + y

    x, ys = step(jnp.zeros(2), xs)
    return x, ys


def traced_inside(net: Net, x: jax.Array):
    def outer(x):
        def inner(y):
            return net(y)

        return jax.checkpoint(inner)(x)

    return jax.value_and_grad(lambda x: outer(x).sum())(x)
