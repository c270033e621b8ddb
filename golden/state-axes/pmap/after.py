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


@nnx.pmap(axis_name="device", in_axes=(None, 0, None, 0), out_axes=0)
def forward_of_state(graphdef, rng_state, rest, x):
  model = nnx.merge(graphdef, rng_state, rest)
  return model.drop(model.linear(x))


@nnx.split_rngs(splits=2)
def forward(model: Net, x: jax.Array):
  graphdef, rng_state, rest = nnx.split(model, nnx.RngState, ...)
  return forward_of_state(graphdef, rng_state, rest, x)
