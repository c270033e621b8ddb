import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Ensemble(4, nnx.Rngs(0))
    x = jnp.arange(8.0).reshape(4, 2)
    return [model(x), program.forward(model, x), model(x + 1)], model
