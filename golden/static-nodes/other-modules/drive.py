import jax.numpy as jnp


def drive(program):
    return program.main(jnp.ones((3, 2)))
