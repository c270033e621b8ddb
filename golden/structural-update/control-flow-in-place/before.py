"""Control flow that only writes into Variables, a condition that is computed with the model."""

import jax
import jax.numpy as jnp
from flax import nnx


class Counter(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.count = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.count[...] += 1
        return self.linear(x)


def loops(model: Counter, x: jax.Array):
    def body(carry):
        model, x = carry
        return model, jnp.tanh(model(x))

    model, x = nnx.while_loop(lambda carry: carry[0].count[...] < 4, body, (model, x))
    return nnx.fori_loop(0, 2, lambda i, carry: (carry[0], carry[0](carry[1])), (model, x))[1]


def branches(flag, model: Counter, x: jax.Array):
    x = nnx.cond(flag, lambda model, x: model(x), lambda model, x: x, model, x)
    return nnx.switch(flag.astype(int), (lambda m, x: m(x), lambda m, x: x), model, x)
