"""optax by hand, without nnx.Optimizer."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.norm(self.linear(x))


tx = optax.chain(optax.clip_by_global_norm(0.5), optax.sgd(0.1))


@nnx.jit
def train_step(model: Net, opt_state, x: jax.Array):
  def loss_fn(model_params: nnx.State, model_nondiff: nnx.State):
    model = nnx.merge(model_graphdef, model_params, model_nondiff)
    return jnp.mean((model(x) - 1.0) ** 2)

  model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)
  loss, grads = nnx.value_and_grad(loss_fn)(model_params, model_nondiff)
  grad_norm = optax.global_norm(grads)  # Params only: no BatchStat in here
  params = nnx.state(model, nnx.Param)
  updates, opt_state = tx.update(grads, opt_state, params)
  nnx.update(model, optax.apply_updates(params, updates))
  return loss, grad_norm, opt_state


def init(seed: int):
  model = Net(nnx.Rngs(seed))
  return model, tx.init(nnx.state(model, nnx.Param))
