"""The networks."""

import jax
from flax import nnx


class Tower(nnx.Module):
  """Dense layers with normalisation and dropout."""

  def __init__(self, din: int, dmid: int, dout: int, *, rngs: nnx.Rngs):
    self.inner = nnx.Linear(din, dmid, rngs=rngs)
    self.norm = nnx.BatchNorm(dmid, rngs=rngs)
    self.dropout = nnx.Dropout(0.1, rngs=rngs)
    self.outer = nnx.Linear(dmid, dout, rngs=rngs)

  def __call__(self, x: jax.Array) -> jax.Array:
    x = nnx.relu(self.norm(self.inner(x)))
    return self.outer(self.dropout(x))


class Linear(nnx.Module):
  """A baseline that holds nothing but parameters."""

  def __init__(self, din: int, dout: int, *, rngs: nnx.Rngs):
    self.layer = nnx.Linear(din, dout, rngs=rngs)

  def __call__(self, x: jax.Array) -> jax.Array:
    return self.layer(x)
