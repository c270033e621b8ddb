import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 2, rngs=rngs)
    self.norm = nnx.BatchNorm(2, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return nnx.relu(self.drop(self.norm(self.linear(x))))


class Stack(nnx.Module):
  def __init__(self, n: int, *, rngs: nnx.Rngs):
    @nnx.split_rngs(splits=n)
    def create(rngs: nnx.Rngs):
      @nnx.vmap(in_axes=0, out_axes=(None, None, 0))
      def create_of_state(rngs):
        return nnx.split(Block(rngs), nnx.BatchStat, ...)

      return nnx.merge(*create_of_state(rngs))

    self.blocks = create(rngs)

  def __call__(self, x: jax.Array):
    def body(x: jax.Array, block: Block):
      graphdef, batch_stats, rest = nnx.split(block, nnx.BatchStat, ...)

      @nnx.scan(
          in_axes=(nnx.Carry, None, 0),
          out_axes=nnx.Carry,
      )
      def body_of_state(x, batch_stats, rest):
        block = nnx.merge(graphdef, nnx.clone(batch_stats), rest)
        return block(x)

      return body_of_state(x, batch_stats, rest)

    return body(x, self.blocks)
