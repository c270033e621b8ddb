import jax
import jax.numpy as jnp
from flax import nnx

TRAINABLE = nnx.All(nnx.Param, nnx.Not(nnx.PathContains("frozen")))


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.frozen = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)
    self.head = nnx.Linear(3, 2, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.head(self.drop(self.norm(self.frozen(x))))


def loss_fn(model: Net, x: jax.Array):
  y = model(x)
  return jnp.mean((y - 1.0) ** 2), y


@nnx.jit
def gradients(model: Net, x: jax.Array):
  graphdef, trainables, nondiff = nnx.split(model, TRAINABLE, ...)

  def loss_fn_of_state(trainables, nondiff, x):
    return loss_fn(nnx.merge(graphdef, trainables, nondiff), x)

  grads, y = nnx.grad(loss_fn_of_state, has_aux=True)(trainables, nondiff, x)
  return grads, y


def value_and_gradients(model: Net, x: jax.Array):
  graphdef, trainables, nondiff = nnx.split(model, TRAINABLE, ...)

  def loss_fn_of_state(trainables, nondiff, x):
    return loss_fn(nnx.merge(graphdef, trainables, nondiff), x)

  (loss, y), grads = nnx.value_and_grad(loss_fn_of_state, has_aux=True)(trainables, nondiff, x)
  return loss, y, grads
