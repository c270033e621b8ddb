import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x: jax.Array):
  model = model  # a loss that rebinds its parameter
  return jnp.mean((model(x) - 1.0) ** 2)


def from_list(models: list[Net], i: int, x):
  graphdef, params, nondiff = nnx.split(models[i], nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  return nnx.grad(loss_fn_of_state)(params, nondiff, x)


def from_call(seed: int, x):
  graphdef, params, nondiff = nnx.split(Net(nnx.Rngs(seed)), nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  return nnx.grad(loss_fn_of_state)(params, nondiff, x)


def from_iterators(models, batches):
  """Arguments are evaluated once, and from left to right."""
  models, batches = iter(models), iter(batches)
  first: Net = next(models)
  graphdef, params, nondiff = nnx.split(first, nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  return nnx.grad(loss_fn_of_state)(params, nondiff, next(batches)), next(models), next(batches)


class Holder:
  def __init__(self, net: Net):
    self.net = net
    self.asked = 0

  @property
  def model(self) -> Net:
    self.asked += 1
    return self.net


def from_property(holder: Holder, x):
  graphdef, params, nondiff = nnx.split(holder.model, nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, x)
  return loss, grads, holder.asked
