import jax.numpy as jnp
from flax import nnx


def drive(program):
    rngs = nnx.Rngs(0)
    model = program.create(rngs, features=3)
    return model, program.scaled(model, jnp.array(2.0)), model(jnp.ones((1, 2))), rngs
