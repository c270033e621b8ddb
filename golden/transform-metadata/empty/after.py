import jax
from flax import nnx


class Block(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.kernel = nnx.Param(
        jax.random.normal(rngs.params(), (2, 2)), out_sharding=("in", "out"), eager_sharding=False
    )


@nnx.split_rngs(splits=2)
@nnx.vmap(transform_metadata={})
def create(rngs: nnx.Rngs):
  return Block(rngs)
