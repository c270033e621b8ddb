import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x):
    return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x):
  return jnp.mean((model(x) - 1.0) ** 2)


def measure(*args):
  grad_fn = nnx.compat.value_and_grad(loss_fn)
  return grad_fn(*args)  # (model, x)
