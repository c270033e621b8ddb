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
  grad_fn = nnx.value_and_grad(loss_fn)
  loss, grads = grad_fn(model, x)
  return loss, grads


def loop(model: Block, optimizer: nnx.Optimizer, xs):
  grad_fn = nnx.value_and_grad(loss_fn)  # built once, outside the loop
  losses = []
  for x in xs:
    loss, grads = grad_fn(model, x)
    optimizer.update(model, grads)
    losses.append(loss)
  return jnp.stack(losses)


def pair(left: Block, right: Block, x):
  grad_fn = nnx.grad(loss_fn)
  left_grads = grad_fn(left, x)
  right_grads = grad_fn(right, x)
  return jax.tree.map(jnp.subtract, left_grads, right_grads)


def make(seed):
  model = Block(nnx.Rngs(seed))
  return model, nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
