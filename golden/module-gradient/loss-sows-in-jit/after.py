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
    h = self.norm(self.linear(x))
    self.sow(nnx.Intermediate, "hidden", h)
    return self.drop(h)


@nnx.jit
def _train_step_and_pop(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
  def loss_fn(params: nnx.State, nondiff: nnx.State):
    model = nnx.merge(graphdef, params, nondiff)
    return jnp.mean((model(x) - 1.0) ** 2), nnx.clone(nnx.pop(model, nnx.Intermediate))

  graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
  (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
  nnx.update(model, sown)
  optimizer.update(model, grads)
  return loss, nnx.clone(nnx.pop(model, nnx.Intermediate))


def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
  result, sown = _train_step_and_pop(model, optimizer, x)
  nnx.update(model, sown)
  return result


def train(model: Net, optimizer: nnx.Optimizer, xs):
  history = []
  for x in xs:
    loss = train_step(model, optimizer, x)
    hidden = nnx.pop(model, nnx.Intermediate)  # leaves the loss and the jitted step
    history.append((loss, nnx.to_pure_dict(hidden)))
  return history
