"""Whether what a scan gives back is the object that went in."""

from types import ModuleType

import jax.numpy as jnp
from flax import nnx


def drive(program: ModuleType) -> bool:
    cell = program.Cell(nnx.Rngs(0))
    carried, _ = program.roll(cell, jnp.arange(6.0).reshape(3, 2))
    return carried is cell
