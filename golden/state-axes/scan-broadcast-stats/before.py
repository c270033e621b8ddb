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
    axes = nnx.StateAxes({nnx.BatchStat: None, ...: 0})

    @nnx.split_rngs(splits=n)
    @nnx.vmap(in_axes=0, out_axes=axes)
    def create(rngs: nnx.Rngs):
      return Block(rngs)

    self.blocks = create(rngs)

  def __call__(self, x: jax.Array):
    @nnx.scan(
        in_axes=(nnx.Carry, nnx.StateAxes({nnx.BatchStat: None, ...: 0})),
        out_axes=nnx.Carry,
    )
    def body(x: jax.Array, block: Block):
      return block(x)

    return body(x, self.blocks)
