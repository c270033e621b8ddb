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
  # types and stream names in one key
  graphdef, broadcast, noises, rest = nnx.split(model, (nnx.Param, "dropout"), Noise, ...)

  def mapped_fn(broadcast, noises, rest, x):
    model = nnx.merge(graphdef, broadcast, noises, rest)
    return model(x)

  return nnx.vmap(mapped_fn, in_axes=(None, 0, None, 0))(broadcast, noises, rest, xs)


def forward_by_path(model: Net, xs: jax.Array):
  graphdef, noise_state, rest = nnx.split(model, nnx.PathContains("noise"), ...)

  def mapped_fn(noise_state, rest, x):
    model = nnx.merge(graphdef, noise_state, rest)
    return model(x)

  return nnx.vmap(mapped_fn, in_axes=(0, None, 0))(noise_state, rest, xs)
