"""Training steps."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx

from ranker.models import Linear, Tower


@nnx.jit
def train_step(model: Tower, optimizer: nnx.Optimizer, batch):
  """One step; the loss sees the batch through its closure."""
  x, y = batch

  def loss_fn(model: Tower):
    y_pred = model(x)  # dropout draws a key here
    return jnp.mean((y_pred - y) ** 2), y_pred

  (loss, y_pred), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
  optimizer.update(model, grads)
  return loss, jnp.mean(jnp.abs(y_pred - y))


@nnx.jit
def baseline_step(model: Linear, optimizer: nnx.Optimizer, batch):
  """Only parameters, and only the optimizer sees the gradients: this works in both modes."""
  x, y = batch
  loss, grads = nnx.value_and_grad(lambda m: jnp.mean((m(x) - y) ** 2))(model)
  optimizer.update(model, grads)
  return loss


@nnx.jit
def finetune_step(model: Tower, optimizer: nnx.Optimizer, batch):
  """Trains the last layer alone."""
  x, y = batch
  wrt = nnx.DiffState(0, nnx.All(nnx.Param, nnx.PathContains("outer")))

  def loss_fn(model: Tower):
    return jnp.mean((model(x) - y) ** 2)

  loss, grads = nnx.value_and_grad(loss_fn, argnums=wrt)(model)
  optimizer.update(model, grads)
  return loss


def generic_step(model, optimizer, batch, loss):
  """Called by plugins with models of their own: nothing can be known about them here."""
  value, grads = nnx.value_and_grad(loss)(model, batch)
  optimizer.update(model, grads)
  return value


def main():
  model = Tower(8, 16, 1, rngs=nnx.Rngs(0))
  optimizer = nnx.Optimizer(model, optax.adam(1e-3), wrt=nnx.Param)
  batch = jax.random.normal(jax.random.key(1), (32, 8)), jnp.ones((32, 1))
  for _ in range(3):
    loss, error = train_step(model, optimizer, batch)
    print(f"loss {loss:.4f}, mean absolute error {error:.4f}")


if __name__ == "__main__":
  main()
