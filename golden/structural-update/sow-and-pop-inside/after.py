"""An auxiliary loss that is sown and popped in one trace."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "balance", jnp.var(y))
        return y


@nnx.jit
def loss_fn(model: Net, x):
    model_before = nnx.split(model)
    y = model(x)
    aux = nnx.pop(model, nnx.Intermediate)
    result = jnp.mean(y**2) + sum(jax.tree.leaves(aux))
    if nnx.split(model) != model_before:
        raise ValueError("model must keep its structure")
    return result
