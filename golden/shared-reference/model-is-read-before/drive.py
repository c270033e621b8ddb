import jax.numpy as jnp


def drive(program):
    return program.main(jnp.arange(6.0).reshape(3, 2), jnp.ones((3, 1)))
