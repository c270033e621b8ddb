import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, axis_name="device", rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.norm(self.linear(x)))


@nnx.split_rngs(splits=2)
@nnx.pmap(axis_name="device", in_axes=(nnx.StateAxes({nnx.RngState: 0, ...: None}), 0), out_axes=0)
def forward(model: Net, x: jax.Array):
  return model.drop(model.linear(x))
