"""Returns values of the model, never the model."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.norm(self.linear(x))


@nnx.jit
def forward(model: Net, x: jax.Array):
    y = model(x)
    return y, model.linear.kernel[...], model.norm.mean + 0.0


@nnx.jit
def summary(model: Net):
    state = nnx.state(model, nnx.Param)
    return {
        "norm": sum(jnp.sum(p**2) for p in jax.tree.leaves(state)),
        "pure": nnx.as_pure(nnx.state(model, nnx.BatchStat)),
        "copy": nnx.clone(nnx.state(model, nnx.Param)),
    }
