import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax.sharding import Mesh, PartitionSpec as P


class Experts(nnx.Module):
  """One row of weights a device."""

  def __init__(self, n: int, rngs: nnx.Rngs):
    self.kernel = nnx.Param(jax.random.normal(rngs.params(), (n, 3)))
    self.load = nnx.BatchStat(jnp.zeros((n,)))
    self.steps = nnx.Variable(jnp.array(0))

  def __call__(self, x: jax.Array):
    self.load[...] = self.load[...] + jnp.sum(x)
    self.steps[...] += 1
    return x[:, None] * self.kernel[...]


mesh = Mesh(np.array(jax.devices()[:4]), ("expert",))


def dispatch(experts: Experts, x: jax.Array):
  specs = nnx.StateSharding({(nnx.Param, nnx.BatchStat): P("expert"), ...: P()})

  @nnx.shard_map(mesh=mesh, in_specs=(specs, P("expert")), out_specs=P("expert"))
  def run(experts: Experts, x):
    return experts(x)

  return run(experts, x)


def weights_times_two(experts: Experts):
  return nnx.shard_map(
      lambda experts: 2.0 * experts.kernel[...],
      mesh=mesh,
      in_specs=(nnx.StateSharding({nnx.Variable: P()}),),
      out_specs=P(),
  )(experts)
