import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 4, rngs=rngs)
    self.drop = nnx.Dropout(0.5, rngs=rngs)

  def __call__(self, x: jax.Array):
    return self.drop(self.linear(x))


def get_mesh() -> Mesh:
  return Mesh(np.array(jax.devices()[:2]), ("data",))


def model_sharding(mesh: Mesh, rules: dict):
  """`rules` maps filters to specs; the caller owns it."""
  return nnx.StateSharding({filter: NamedSharding(mesh, spec) for filter, spec in rules.items()})


def compiled_forward(rules):
  mesh = get_mesh()

  @nnx.compat.jit(in_shardings=(model_sharding(mesh, rules), NamedSharding(mesh, P())))
  def forward(model: Net, x):
    return model(x)

  return forward
