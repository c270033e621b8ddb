import jax
import jax.numpy as jnp
from flax import nnx


class Standardize(nnx.Module):
    """Keeps its running mean in a plain array."""

    def __init__(self, features: int):
        self.mean = nnx.data(jnp.zeros(features))
        self.momentum = 0.9

    def __call__(self, x: jax.Array):
        self.mean = self.momentum * self.mean + (1 - self.momentum) * x.mean(axis=0)
        return x - self.mean


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.standardize = Standardize(2)
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.linear(self.standardize(x))


@nnx.compat.jit
def forward(model: Net, x: jax.Array):
    return model(x)


@nnx.compat.remat
def checkpointed(model: Net, x: jax.Array):
    return model(x)
