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
  def mapped_fn(mapped, rest, x):
    m = nnx.merge(graphdef, mapped, rest)
    return m(x)

  run = nnx.vmap(mapped_fn, in_axes=(0, None, None), out_axes=0)
  graphdef, mapped, rest = nnx.split(model, (nnx.Param, nnx.RngState), ...)
  return run(mapped, rest, x)


def make(n: int, seed: int) -> Net:
  @nnx.split_rngs(splits=n)
  def create(rngs):
    @nnx.vmap(in_axes=0, out_axes=(None, 0, None))
    def create_of_state(rngs):
      return nnx.split(Net(rngs), (nnx.Param, nnx.RngState), ...)

    return nnx.merge(*create_of_state(rngs))

  return create(nnx.Rngs(seed))
