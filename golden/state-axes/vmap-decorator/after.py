import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.norm(self.linear(x)))


@nnx.split_rngs(splits=4)
@nnx.vmap
def create(rngs: nnx.Rngs) -> Block:
  return Block(rngs)


# the ensemble has its own weights, and its own statistics
@nnx.vmap(in_axes=(0, None))
def forward(model: Block, x: jax.Array):
  return model(x)


@nnx.vmap(in_axes=(0, 0), out_axes=1)
def forward_each(model: Block, x: jax.Array):
  """Every member sees its own batch."""
  return model(x)
