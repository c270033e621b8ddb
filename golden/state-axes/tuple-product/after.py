import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)

  def __call__(self, x):
    return self.norm(self.linear(x))


@nnx.split_rngs(splits=2)
@nnx.vmap
def create(rngs):
  return Net(rngs)


def vote(models: list[Net], x):
  """The same axes for every model, however many there are."""
  axes = (nnx.StateAxes({nnx.Param: 0, ...: 0}),) * len(models)
  forward = nnx.compat.vmap(lambda x, *models: sum(m(x) for m in models), in_axes=(None, *axes))
  return forward(x, *models)


def vote_by_list(models: list[Net], x):
  in_axes = [None]
  for _ in models:
    in_axes.append(nnx.StateAxes({...: 0}))
  forward = nnx.compat.vmap(lambda x, *models: sum(m(x) for m in models), in_axes=tuple(in_axes))
  return forward(x, *models)


def vote_by_comprehension(models: list[Net], x):
  axes = tuple(nnx.StateAxes({nnx.BatchStat: 0, ...: 0}) for _ in models)
  return nnx.compat.vmap(lambda *models: sum(m(x) for m in models), in_axes=axes)(*models)
