import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, width: int, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, width, rngs=rngs)
    self.norm = nnx.BatchNorm(width, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x: jax.Array):
  return jnp.mean((model(x) - 1.0) ** 2)


def norm(model: Net, x: jax.Array):
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  return optax.global_norm(nnx.grad(loss_fn_of_state)(params, nondiff, x))


def norms(model: Net, xs: list):
  return [optax.global_norm(nnx.compat.grad(loss_fn)(model, x)) for x in xs]


def all_gradients(models: list[Net], x: jax.Array):
  # models of different widths
  return [nnx.compat.grad(loss_fn)(model, x) for model in models]


def maybe(model: Net, x: jax.Array, wanted: bool):
  """The model's keys and statistics advance only where a gradient is wanted."""
  return nnx.compat.grad(loss_fn)(model, x) if wanted else None


def until_small(model: Net, x: jax.Array, limit: float):
  steps = 0
  while optax.global_norm(nnx.compat.grad(loss_fn)(model, x)) > limit and steps < 3:
    steps += 1
  return steps
