import functools

import jax
from flax import nnx

LAYERS = "layers"


class Block(nnx.Module):
  def __init__(self, width: int, rngs: nnx.Rngs):
    self.linear = nnx.Linear(
        width, width, kernel_metadata={"out_sharding": ("embed", "mlp"), "eager_sharding": False}, rngs=rngs
    )
    self.norm = nnx.BatchNorm(width, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.norm(self.linear(x))


def create(n: int, width: int, rngs: nnx.Rngs) -> Block:
  @nnx.split_rngs(splits=n)
  @functools.partial(
      nnx.vmap,
      in_axes=(0,),
      out_axes=0,
      axis_size=n,  # a name for the new axis
  )
  @nnx.transform_metadata(in_axes=(0,), partition=LAYERS)
  def init(rngs: nnx.Rngs):
    return Block(width, rngs)

  return init(rngs)
