import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.kernel = nnx.Param(
        jax.random.normal(rngs.params(), (2, 2)), out_sharding=("embed", "mlp"), eager_sharding=False
    )
    self.mean = nnx.BatchStat(jnp.zeros((2,)), out_sharding=("mlp",), eager_sharding=False)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    x = self.drop(x @ self.kernel[...])
    self.mean[...] = 0.9 * self.mean[...] + 0.1 * jnp.mean(x, axis=0)
    return x


@nnx.split_rngs(splits=3)
@nnx.vmap(in_axes=0, out_axes=0)
@nnx.transform_metadata(partition="layers")
def create_blocks(rngs: nnx.Rngs) -> Block:
  """Three blocks, stacked."""
  return Block(rngs)


@nnx.split_rngs(splits=2)
@nnx.vmap(
    in_axes=(0,),
    out_axes=1,  # second axis
)
@nnx.transform_metadata(in_axes=(0,), out_axes=1, partition="stage")
def create_kernels(rngs: nnx.Rngs):
  return nnx.Param(rngs.params.uniform((3, 2)), out_sharding=("embed", None), eager_sharding=False)
