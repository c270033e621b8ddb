import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.bn = nnx.BatchNorm(3, momentum=0.9, rngs=rngs)
    self.drop = nnx.Dropout(0.25, rngs=rngs)
    self.head = nnx.Linear(3, 2, rngs=rngs)

  def __call__(self, x):
    return self.head(self.drop(self.bn(self.linear(x))))


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, batch: dict):
  def loss_fn(params: nnx.State, nondiff: nnx.State):
    net = nnx.merge(graphdef, params, nondiff)
    logits = net(batch["x"])
    loss = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
    return loss, logits

  # has_aux: the logits come back for the metrics
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
  accuracy = jnp.mean(jnp.argmax(logits, -1) == batch["y"])
  optimizer.update(model, grads)
  return {"loss": loss, "accuracy": accuracy}


@nnx.jit
def debug_step(model: Net, batch: dict):
  """Gradient norm, and the two parts of the loss."""

  def loss_fn(params: nnx.State, nondiff: nnx.State):
    net = nnx.merge(graphdef, params, nondiff)
    logits = net(batch["x"])
    nll = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"]).mean()
    l2 = 1e-2 * jnp.sum(net.head.kernel[...] ** 2)
    return nll + l2, (nll, l2, logits)

  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  grads, (nll, l2, logits) = nnx.grad(
      loss_fn,
      has_aux=True,  # three of them
  )(params, nondiff)
  return optax.global_norm(grads), nll, l2, logits
