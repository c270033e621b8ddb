import jax.numpy as jnp
from flax import nnx


def drive(program):
    head = program.Head(nnx.Rngs(0))
    return program.rows(head, jnp.arange(6.0).reshape(3, 2)), head
