"""Knowledge distillation: the teacher is an argument, but gets no gradient."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, width: int, *, rngs: nnx.Rngs):
    self.inner = nnx.Linear(2, width, rngs=rngs)
    self.norm = nnx.BatchNorm(width, rngs=rngs)
    self.dropout = nnx.Dropout(0.2, rngs=rngs)
    self.outer = nnx.Linear(width, 2, rngs=rngs)

  def __call__(self, x):
    return self.outer(self.dropout(nnx.relu(self.norm(self.inner(x)))))


@nnx.jit
def distill_step(student: Net, teacher: Net, optimizer: nnx.Optimizer, x: jax.Array):
  def loss_fn(params: nnx.State, nondiff: nnx.State, teacher: Net, x: jax.Array):
    student = nnx.merge(graphdef, params, nondiff)
    targets = jax.lax.stop_gradient(nnx.softmax(teacher(x)))
    logits = student(x)
    return optax.softmax_cross_entropy(logits, targets).mean(), logits

  graphdef, params, nondiff = nnx.split(student, nnx.Param, ...)
  (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff, teacher, x)
  optimizer.update(student, grads)
  return loss, logits
