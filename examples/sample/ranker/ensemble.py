"""An ensemble of towers: stacked parameters, shared batch statistics."""

import jax
from flax import nnx

from ranker.models import Tower

member_axes = nnx.StateAxes({(nnx.Param, nnx.RngState): 0, ...: None})


@nnx.split_rngs(splits=4)
@nnx.vmap(in_axes=0, out_axes=0, transform_metadata={nnx.PARTITION_NAME: "members"})
def create_heads(rngs: nnx.Rngs):
  return nnx.Linear(1, 1, rngs=rngs)


@nnx.split_rngs(splits=4)
@nnx.vmap(in_axes=0, out_axes=member_axes)
def create(rngs: nnx.Rngs):
  return Tower(8, 16, 1, rngs=rngs)


@nnx.vmap(in_axes=(member_axes, None))
def predict(towers: Tower, x: jax.Array) -> jax.Array:
  """Every member sees the whole batch."""
  return towers(x)
