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
    self.sow(nnx.Intermediate, "hidden", jnp.mean(h))
    return self.drop(h)


def noisy(model: Net, x):
  return model(x)


def doubled(model: Net, x):
  return 2.0 * model(x)


def ensemble(model: Net, x):
  """Mean of three dropout samples."""
  with nnx.split_rngs(model, splits=3):
    sample = nnx.vmap(
        lambda m, x: m.drop(m.linear(x)),
        in_axes=(nnx.StateAxes({nnx.RngState: 0, ...: None}), None),
        axis_size=3,
    )
    return jnp.mean(sample(model, x), axis=0)


def loss_fn(model: Net, x, flag):
  model.train()
  y = nnx.cond(flag, noisy, doubled, model, x)  # sows in both branches
  hidden = nnx.pop(model, nnx.Intermediate)
  y = y + ensemble(model, x)
  return jnp.mean(y**2), nnx.to_pure_dict(hidden)


def step(model: Net, x, flag):
  (loss, hidden), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model, x, flag)
  return loss, hidden, grads
