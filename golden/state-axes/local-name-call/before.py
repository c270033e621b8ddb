import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 2, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)
    self.count = nnx.Variable(jnp.array(0.0))

  def __call__(self, x: jax.Array):
    return self.drop(self.linear(x))


def per_member(model: Net, x: jax.Array, axis: int = 0):
  state_axes = nnx.StateAxes({nnx.Param: 0, nnx.RngState: 0, ...: None})
  run = nnx.vmap(lambda m, x: m(x), in_axes=(state_axes, None), out_axes=0)
  return run(model, x)


def make(n: int, seed: int) -> Net:
  @nnx.split_rngs(splits=n)
  @nnx.vmap(in_axes=0, out_axes=nnx.StateAxes({(nnx.Param, nnx.RngState): 0, ...: None}))
  def create(rngs):
    return Net(rngs)

  return create(nnx.Rngs(seed))
