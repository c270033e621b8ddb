import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.norm(self.linear(x)))


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array, params: dict):
  """`params` are the settings of the loss here."""
  graphdef = nnx.graphdef(model)
  nondiff = params["nondiff"]

  def loss_fn(model_params: nnx.State, model_nondiff: nnx.State, rest):
    model = nnx.merge(model_graphdef, model_params, model_nondiff)
    y = model(x) * params["scale"]
    return jnp.mean((y - nondiff) ** 2) + rest

  model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)
  loss, grads = nnx.value_and_grad(loss_fn)(model_params, model_nondiff, params["offset"])
  optimizer.update(model, grads)
  copy = nnx.merge(graphdef, nnx.clone(nnx.state(model)))  # graphdef is used after the step
  copy.eval()
  return loss, copy(x) * params["scale"] - nondiff
