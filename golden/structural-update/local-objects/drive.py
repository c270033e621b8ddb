import jax
import jax.numpy as jnp
from flax import nnx


def drive(program):
    x = jnp.arange(6.0).reshape(3, 2)
    head = program.create(nnx.Rngs(1))
    return program.evaluate(x, jax.random.key(0)), head, head(x)
