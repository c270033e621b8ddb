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
  with nnx.compat.split_rngs(model, splits=3):
    def mapped_fn(rng_state, rest, x):
      m = nnx.merge(graphdef, rng_state, rest)
      return m.drop(m.linear(x))

    sample = nnx.vmap(
        mapped_fn,
        in_axes=(0, None, None),
        axis_size=3,
    )
    graphdef, rng_state, rest = nnx.split(model, nnx.RngState, ...)
    return jnp.mean(sample(rng_state, rest, x), axis=0)


def loss_fn(model: Net, x, flag):
  model.train()
  y = nnx.compat.cond(flag, noisy, doubled, model, x)  # sows in both branches
  hidden = nnx.pop(model, nnx.Intermediate)
  y = y + ensemble(model, x)
  return jnp.mean(y**2), nnx.to_pure_dict(hidden)


def step(model: Net, x, flag):
  (loss, hidden), grads = nnx.compat.value_and_grad(
      nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(loss_fn)), has_aux=True
  )(model, x, flag)
  return loss, hidden, grads
