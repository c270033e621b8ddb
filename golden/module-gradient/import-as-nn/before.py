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
  return nn.grad(lambda n: jnp.mean(n(x) ** 2))(net)  # nn is nnx here
