import jax
from flax import nnx


class Net(nnx.Module):
  def __init__(self, *, rngs: nnx.Rngs):
    self.linear1 = nnx.Linear(4, 3, rngs=rngs)
    self.bn = nnx.BatchNorm(3, rngs=rngs)
    self.dropout = nnx.Dropout(rate=0.2, rngs=rngs)
    self.linear2 = nnx.Linear(3, 2, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.linear2(self.dropout(nnx.relu(self.bn(self.linear1(x)))))
