import jax
import jax.numpy as jnp
from flax import nnx
from flax.nnx import Dropout, Module, Rngs, fork_rngs


class Noisy(Module):
    def __init__(self, rngs: Rngs):
        self.drop = Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(x)


class Evaluator:
    """Keeps the model and reseeds it before each epoch."""

    def __init__(self, model: Noisy):
        self.model = model
        self.drop = model.drop

    def epoch(self, xs: jax.Array):
        nnx.compat.fork_rngs(self.model)
        return jnp.stack([self.model(x) for x in xs]) + self.drop(xs)
