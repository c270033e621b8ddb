import jax
import jax.numpy as jnp


def drive(program):
    return program.run(jnp.ones((3, 4)), list(jax.random.split(jax.random.key(1), 2)))
