"""Loops that only read what they capture: the same in both modes."""

import jax
import jax.numpy as jnp
from flax import nnx


class Head(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.steps = 2
        self.scale = nnx.Variable(jnp.array(2.0))

    def __call__(self, x: jax.Array):
        return self.linear(x) * self.scale[...]

    def repeat(self, x: jax.Array):
        def body(carry):
            i, x = carry
            return i + 1, self(x)

        return nnx.while_loop(lambda carry: carry[0] < self.steps, body, (0, x))[-1]


def settings(head: Head, x: jax.Array):
    return nnx.fori_loop(0, 3, lambda i, x: x * head.steps, x)


def given(head: Head, x: jax.Array):
    """Nothing is captured here."""
    head, x = nnx.fori_loop(0, 3, lambda i, c: (c[0], c[0].linear(c[1])), (head, x))
    return x


def of_any_class(model: nnx.Module, x: jax.Array):
    """It may hold anything, twice even."""
    return nnx.fori_loop(0, 3, lambda i, x: nnx.remat(applied)(model, x) if x is None else model(x), x)


def applied(model: nnx.Module, x: jax.Array):
    return model(x)
