import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.kernel = nnx.Param(
        jax.random.normal(rngs.params(), (2, 2)), out_sharding=("in", "out"), eager_sharding=False
    )
    self.mean = nnx.BatchStat(jnp.zeros((2,)))


@nnx.split_rngs(splits=3)
@nnx.vmap(
    in_axes=0,
    out_axes=nnx.StateAxes({nnx.Param: 0, ...: None}),
    transform_metadata={nnx.PARTITION_NAME: "layers"},
)
def create(rngs: nnx.Rngs) -> Block:
  return Block(rngs)


def forward(block: Block, xs: jax.Array):
  axes = nnx.StateAxes({nnx.Param: 0, ...: None})

  @nnx.vmap(in_axes=(axes, 0), out_axes=0, transform_metadata={nnx.PARTITION_NAME: "layers"})
  def run(block: Block, x):
    assert block.kernel.out_sharding == ("in", "out")
    return x @ block.kernel[...] - block.mean[...]

  return run(block, xs)
