import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x):
    return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Net, x: jax.Array, target: float = 1.0):
  return jnp.mean((model(x) - target) ** 2)


def gradients(model: Net, x: jax.Array):
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x=x)

  return nnx.grad(loss_fn_of_state)(params, nondiff, x=x)


def loss_and_gradients(model: Net, x: jax.Array):
  def loss_fn_of_state(params, nondiff, x, target):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x=x, target=target)

  grad_fn = nnx.value_and_grad(loss_fn_of_state)
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  return grad_fn(
      params, nondiff, x=x,
      target=0.5,  # out of order on purpose
  )
