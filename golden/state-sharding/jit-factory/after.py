import jax
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 4, rngs=rngs)
    self.norm = nnx.BatchNorm(4, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.norm(self.linear(x)))


def make_mesh(n: int) -> Mesh:
  return Mesh(np.array(jax.devices()[:n]), ("model",))


def create(seed: int, n: int = 2) -> Net:
  """The weights are created where they will live."""
  mesh = make_mesh(n)

  @nnx.jit(
      out_shardings=(None, NamedSharding(mesh, P("model")), NamedSharding(mesh, P())),  # first axis
      static_argnums=0,
  )
  def init_of_state(seed):
    return nnx.split(Net(nnx.Rngs(seed)), (nnx.Param, nnx.BatchStat), ...)

  def init(seed: int) -> Net:
    return nnx.merge(*init_of_state(seed))

  return init(seed)
