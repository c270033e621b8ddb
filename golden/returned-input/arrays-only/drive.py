import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Net(nnx.Rngs(0))
    return program.forward(model, jnp.arange(6.0).reshape(3, 2)), program.summary(model), model
