import jax.numpy as jnp


def drive(program):
    return program.train(jnp.ones((2, 4)))
