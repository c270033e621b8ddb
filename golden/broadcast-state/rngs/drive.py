import jax.numpy as jnp
from flax import nnx


def drive(program):
    walker = program.Walker(nnx.Rngs(noise=1))
    return [walker.walk(jnp.zeros(2), 3) for _ in range(2)], walker
