"""Train a small regressor with dropout and batch norm."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, *, rngs: nnx.Rngs):
    self.hidden = nnx.Linear(3, 4, rngs=rngs)
    self.norm = nnx.BatchNorm(4, rngs=rngs)
    self.dropout = nnx.Dropout(0.5, rngs=rngs)
    self.out = nnx.Linear(4, 2, rngs=rngs)

  def __call__(self, x: jax.Array) -> jax.Array:
    x = nnx.relu(self.norm(self.hidden(x)))
    return self.out(self.dropout(x))


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, batch):
  """One step of gradient descent."""
  x, y = batch

  def loss_fn(params: nnx.State, nondiff: nnx.State):
    model = nnx.merge(graphdef, params, nondiff)
    y_pred = model(x)  # stochastic, and updates the running averages
    return jnp.mean((y_pred - y) ** 2)

  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)  # grads has the shape of the params
  optimizer.update(model, grads)
  return loss


def make(seed: int = 0):
  model = Net(rngs=nnx.Rngs(seed))
  return model, nnx.Optimizer(model, optax.adam(1e-2), wrt=nnx.Param)
