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
  return jnp.mean((model(x) - 1.0) ** 2), nnx.clone(nnx.pop(model, nnx.Intermediate))


def gradients_and_hidden(model: Net, x: jax.Array):
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  grads, sown = nnx.grad(loss_fn_of_state, has_aux=True)(params, nondiff, x)
  nnx.update(model, sown)
  intermediates = nnx.pop(model, nnx.Intermediate)  # sown in the loss, popped out here
  return grads, nnx.to_pure_dict(intermediates)
