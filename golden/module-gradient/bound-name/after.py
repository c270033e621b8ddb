import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Block(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 2, rngs=rngs)
    self.norm = nnx.BatchNorm(2, rngs=rngs)
    self.drop = nnx.Dropout(0.3, rngs=rngs)

  def __call__(self, x):
    return self.drop(self.norm(self.linear(x)))


def loss_fn(model: Block, x: jax.Array):
  return jnp.mean((model(x) - x) ** 2)


def once(model: Block, x):
  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  grad_fn = nnx.value_and_grad(loss_fn_of_state)
  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  loss, grads = grad_fn(params, nondiff, x)
  return loss, grads


def loop(model: Block, optimizer: nnx.Optimizer, xs):
  def loss_fn_of_state(params, nondiff, x):
    return loss_fn(nnx.merge(graphdef, params, nondiff), x)

  grad_fn = nnx.value_and_grad(loss_fn_of_state)  # built once, outside the loop
  losses = []
  for x in xs:
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = grad_fn(params, nondiff, x)
    optimizer.update(model, grads)
    losses.append(loss)
  return jnp.stack(losses)


def pair(left: Block, right: Block, x):
  def loss_fn_of_state(model_params, model_nondiff, x):
    return loss_fn(nnx.merge(model_graphdef, model_params, model_nondiff), x)

  grad_fn = nnx.grad(loss_fn_of_state)
  model_graphdef, model_params, model_nondiff = nnx.split(left, nnx.Param, ...)
  left_grads = grad_fn(model_params, model_nondiff, x)
  model_graphdef, model_params, model_nondiff = nnx.split(right, nnx.Param, ...)
  right_grads = grad_fn(model_params, model_nondiff, x)
  return jax.tree.map(jnp.subtract, left_grads, right_grads)


def make(seed):
  model = Block(nnx.Rngs(seed))
  return model, nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
