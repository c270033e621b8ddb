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
  return nnx.grad(loss_fn)(models[i], x)


def from_call(seed: int, x):
  return nnx.grad(loss_fn)(Net(nnx.Rngs(seed)), x)


def from_iterators(models, batches):
  """Arguments are evaluated once, and from left to right."""
  models, batches = iter(models), iter(batches)
  first: Net = next(models)
  return nnx.grad(loss_fn)(first, next(batches)), next(models), next(batches)


class Holder:
  def __init__(self, net: Net):
    self.net = net
    self.asked = 0

  @property
  def model(self) -> Net:
    self.asked += 1
    return self.net


def from_property(holder: Holder, x):
  loss, grads = nnx.value_and_grad(loss_fn)(holder.model, x)
  return loss, grads, holder.asked
