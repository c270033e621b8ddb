import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
  def __init__(self, n: int, rngs: nnx.Rngs):
    self.kernel = nnx.Param(jax.random.normal(rngs.params(), (n, 2, 2)))
    self.mean = nnx.BatchStat(jnp.zeros((2,)))
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    x = self.drop(x @ self.kernel)
    self.mean[...] = 0.9 * self.mean[...] + 0.1 * jnp.mean(x, axis=0)
    return x - self.mean[...]


def apply_blocks(blocks: Block, x: jax.Array):
  """Weights a layer, statistics and keys carried from layer to layer."""

  @nnx.scan(in_axes=(nnx.Carry, nnx.StateAxes({nnx.Param: 0, ...: nnx.Carry})), out_axes=(nnx.Carry, 0))
  def body(x: jax.Array, block: Block):
    x = block(x)
    return x, jnp.sum(x)

  return body(x, blocks)
