import jax.numpy as jnp
from flax import nnx


def drive(program):
    cell = program.Cell(nnx.Rngs(0))
    carried, ys = program.roll(cell, jnp.arange(6.0).reshape(3, 2))
    return ys, cell, carried
