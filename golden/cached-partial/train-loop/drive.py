import jax.numpy as jnp


def drive(program):
    return program.fit(0, jnp.arange(18.0).reshape(3, 3, 2))
