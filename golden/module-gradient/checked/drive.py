import jax
import jax.numpy as jnp


def drive(program):
    return program.gradient(jax.random.key(0), jnp.arange(6.0).reshape(3, 2))
