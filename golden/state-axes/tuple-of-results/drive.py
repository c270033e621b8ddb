import jax
import jax.numpy as jnp


def drive(program):
    keys = jax.random.split(jax.random.key(0), 4)
    nets, means = program.create(keys)
    x = jnp.arange(3.0)
    return means, program.create_by_name(keys), program.twice(nets, x), program.halves(nets, x), nets
