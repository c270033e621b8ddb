import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.body = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)
    self.head = nnx.Linear(3, 2, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.head(self.drop(self.norm(self.body(x))))


def loss_fn(model: Net, x: jax.Array):
  return jnp.mean((model(x) - 1.0) ** 2)


def head_gradients(model: Net, x: jax.Array):
  """Gradients of the head alone."""
  graphdef, diff, nondiff = nnx.split(model, nnx.All(nnx.Param, nnx.PathContains("head")), ...)

  def loss_fn_of_state(diff, nondiff, x):
    return loss_fn(nnx.merge(graphdef, diff, nondiff), x)

  return nnx.grad(loss_fn_of_state)(diff, nondiff, x)


def kernel_gradients(model: Net, x: jax.Array):
  graphdef, diff, nondiff = nnx.split(model, lambda path, leaf: path[-1] == "kernel", ...)

  def loss_fn_of_state(diff, nondiff, x):
    return loss_fn(nnx.merge(graphdef, diff, nondiff), x)

  return nnx.grad(loss_fn_of_state)(diff, nondiff, x)
