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
def create(rngs: nnx.Rngs) -> Block:
  @nnx.vmap(
      in_axes=0,
      out_axes=(None, 0, None),
  )
  @nnx.transform_metadata(out_axes=(None, 0, None), partition="layers")
  def create_of_state(rngs):
    return nnx.split(Block(rngs), nnx.Param, ...)

  return nnx.merge(*create_of_state(rngs))


def forward(block: Block, xs: jax.Array):
  def run(block: Block, x):
    graphdef, params, rest = nnx.split(block, nnx.Param, ...)

    @nnx.vmap(in_axes=(0, None, 0), out_axes=0)
    @nnx.transform_metadata(in_axes=(0, None, 0), partition="layers")
    def run_of_state(params, rest, x):
      block = nnx.merge(graphdef, params, rest)
      assert block.kernel.out_sharding == ("in", "out")
      return x @ block.kernel[...] - block.mean[...]

    return run_of_state(params, rest, x)

  return run(block, xs)
