"""Two spaces for a block, four for the arguments of a call."""

import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):

  def __init__(self, rngs: nnx.Rngs):
    self.kernel = nnx.Param(
        jax.random.normal(rngs.params(), (3, 3)),
        out_sharding=("in", "out"),
        eager_sharding=False,
    )

  def __call__(self, x):
    return jnp.tanh(x @ self.kernel[...])


@nnx.split_rngs(splits=2)
@nnx.vmap(
    in_axes=0,
    out_axes=0,
    transform_metadata={nnx.PARTITION_NAME: "layers"},
)
def make_blocks(rngs):
  return Block(rngs)


def run(blocks, x: jax.Array):
  def apply_one_block_to_what_the_one_before_gave(carry, block: Block):
    return block(carry), carry.sum()

  return nnx.scan(
      apply_one_block_to_what_the_one_before_gave,
      length=2,
      in_axes=(nnx.Carry, 0),
      out_axes=(nnx.Carry, 0),
      transform_metadata={nnx.PARTITION_NAME: "layers"},
  )(x, blocks)
