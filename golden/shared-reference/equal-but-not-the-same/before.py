"""Two models of one class, an array twice, a number of the model beside it: nothing is shared."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module, pytree=True):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.rate = 0.5
        self.out = self.linear.out_features

    def __call__(self, x: jax.Array):
        return self.linear(x) * self.rate


@nnx.jit
def both(left: Net, right: Net, x: jax.Array, y: jax.Array, rate: float):
    return left(x) + right(y) * rate


def chained(left: Net, right: Net, x: jax.Array):
    def body(i, carry):
        left, right, x, y = carry
        return left, right, right(left(x)), y

    carry = nnx.fori_loop(0, 2, body, (left, right, x, x))
    return nnx.cond(carry[2].sum() > 0, lambda a, b: a + b, lambda a, b: a - b, x, x)
