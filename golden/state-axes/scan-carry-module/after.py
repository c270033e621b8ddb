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

  def body(x: jax.Array, block: Block):
    graphdef, params, rest = nnx.split(block, nnx.Param, ...)

    @nnx.scan(in_axes=(nnx.Carry, 0), out_axes=(nnx.Carry, 0))
    def body_of_state(carry, params):
      x, rest = carry
      block = nnx.merge(graphdef, params, rest)
      x = block(x)
      return (x, rest), jnp.sum(x)

    (final_carry, *_), outputs = body_of_state((x, rest), params)
    return final_carry, outputs

  return body(x, blocks)
