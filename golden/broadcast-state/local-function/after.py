"""Batch statistics are not kept by this scan today."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 2, rngs=rngs)
    self.norm = nnx.BatchNorm(2, rngs=rngs)
    self.calls = nnx.Variable(jnp.array(0))

  def __call__(self, x: jax.Array):
    self.calls[...] += 1
    return self.norm(self.linear(x))


def evaluate(model: Net, batches):
  def body(model: Net, batch):
    model = nnx.clone(model)  # each iteration updates its own copy
    y = model(batch)
    return jnp.mean(y), model.calls[...]

  return nnx.scan(body, in_axes=(None, 0), out_axes=0)(model, batches)
