import flax.nnx as nn
import jax.numpy as jnp


class Net(nn.Module):
  def __init__(self, rngs: nn.Rngs):
    self.linear = nn.Linear(2, 3, rngs=rngs)
    self.norm = nn.BatchNorm(3, rngs=rngs)
    self.drop = nn.Dropout(0.5, rngs=rngs)

  def __call__(self, x):
    return self.drop(self.norm(self.linear(x)))


@nn.jit
def gradients(net: Net, x):
  graphdef, params, nondiff = nn.split(net, nn.Param, ...)

  def loss_fn(params, nondiff):
    n = nn.merge(graphdef, params, nondiff)
    return jnp.mean(n(x) ** 2)

  return nn.grad(loss_fn)(params, nondiff)  # nn is nnx here
