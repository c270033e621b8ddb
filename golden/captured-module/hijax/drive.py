import jax.numpy as jnp


def drive(program):
    return [program.count(steps) for steps in (2, 5)], jnp.zeros(1)
