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
  wrt_head = nnx.DiffState(0, nnx.All(nnx.Param, nnx.PathContains("head")))
  return nnx.grad(loss_fn, argnums=wrt_head)(model, x)


def kernel_gradients(model: Net, x: jax.Array):
  return nnx.grad(loss_fn, argnums=nnx.DiffState(0, lambda path, leaf: path[-1] == "kernel"))(model, x)
