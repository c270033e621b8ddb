import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Noisy(nnx.Rngs(0))
    return program.population_keys(model, 3), model(jnp.ones(8)), model
