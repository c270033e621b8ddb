import jax
import jax.numpy as jnp
from flax import nnx


class Noise(nnx.Variable):
  pass


class Net(nnx.Module):
  def __init__(self, n: int, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.noise = Noise(jax.random.normal(rngs.params(), (n, 3)))
    self.rngs = nnx.Rngs(dropout=1)

  def __call__(self, x: jax.Array):
    self.noise[...] *= 0.5
    return self.linear(x) + self.noise[...] + jax.random.normal(self.rngs.dropout(), (3,))


def forward(model: Net, xs: jax.Array):
  axes = nnx.StateAxes({
      (nnx.Param, "dropout"): None,  # types and stream names in one key
      Noise: 0,
      ...: None,
  })
  return nnx.vmap(lambda model, x: model(x), in_axes=(axes, 0))(model, xs)


def forward_by_path(model: Net, xs: jax.Array):
  axes = nnx.StateAxes({nnx.PathContains("noise"): 0, ...: None})
  return nnx.vmap(lambda model, x: model(x), in_axes=(axes, 0))(model, xs)
