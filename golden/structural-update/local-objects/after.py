import jax
import jax.numpy as jnp
from flax import nnx


class Head(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.scale = 1.0

    def __call__(self, x: jax.Array):
        return self.scale * self.drop(self.linear(x))


@nnx.jit
def evaluate(x, key: jax.Array):
    head = Head(nnx.Rngs(key))
    head.eval()
    head.scale = 2.0
    head.bias = nnx.Param(jnp.ones(3))
    return head(x) + head.bias


@nnx.jit
def create(rngs: nnx.Rngs):
    head = Head(rngs)
    head.scale = 3.0
    return head
