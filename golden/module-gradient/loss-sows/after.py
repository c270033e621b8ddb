import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    h = self.norm(self.linear(x))
    self.sow(nnx.Intermediate, "hidden", h)
    return self.drop(h)


def loss_fn(model: Net, x: jax.Array):
  return jnp.mean((model(x) - 1.0) ** 2)


def gradients_and_hidden(model: Net, x: jax.Array):
  grads = nnx.compat.grad(loss_fn)(model, x)
  intermediates = nnx.pop(model, nnx.Intermediate)  # sown in the loss, popped out here
  return grads, nnx.to_pure_dict(intermediates)
