import jax.numpy as jnp


def drive(program):
    return program.run(jnp.array([0.5, -1.0]))
