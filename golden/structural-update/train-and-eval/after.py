"""Steps that choose the mode of the model themselves."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class CNN(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.dropout = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.dropout(self.norm(self.linear(x)))


def loss_fn(model: CNN, batch):
  return jnp.mean((model(batch["x"]) - batch["y"]) ** 2)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def train_step(model: CNN, optimizer: nnx.Optimizer, batch):
  """Train for a single step."""
  model.train()  # Switch to train mode
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, batch):
    return loss_fn(nnx.merge(graphdef, params, nondiff), batch)

  loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, batch)
  optimizer.update(model, grads)
  return loss


@nnx.jit
def eval_step(model: CNN, batch):
  return loss_fn(model, batch)


def fit(model: CNN, batches):
  optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
  losses = [train_step(model, optimizer, batch) for batch in batches]
  model.eval()
  losses.append(eval_step(model, batches[0]))
  return losses, model(batches[0]["x"])
