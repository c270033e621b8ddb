import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Recorder(nnx.Rngs(0))
    return program.run(model, jnp.arange(6.0).reshape(3, 2)), len(model.history), model
