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


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
  def loss_fn(model: Net):
    return jnp.mean((model(x) - 1.0) ** 2)

  loss, grads = nnx.value_and_grad(loss_fn)(model)
  optimizer.update(model, grads)
  return loss


def train(model: Net, optimizer: nnx.Optimizer, xs):
  history = []
  for x in xs:
    loss = train_step(model, optimizer, x)
    hidden = nnx.pop(model, nnx.Intermediate)  # leaves the loss and the jitted step
    history.append((loss, nnx.to_pure_dict(hidden)))
  return history
