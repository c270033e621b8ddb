import jax.numpy as jnp
from flax import nnx


def drive(program):
    cell = program.Cell(nnx.Rngs(0))
    carried, ys = program.roll(cell, jnp.arange(6.0).reshape(3, 2))
    # Whether the two are one object is the concern of those who use both: returned-carry.
    return ys, nnx.state(cell), nnx.state(carried)
