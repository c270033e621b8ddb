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
  def run(experts: Experts, x):
    graphdef, mapped, rest = nnx.split(experts, (nnx.Param, nnx.BatchStat), ...)

    @nnx.shard_map(mesh=mesh, in_specs=(P("expert"), P(), P("expert")), out_specs=P("expert"))
    def run_of_state(mapped, rest, x):
      experts = nnx.merge(graphdef, mapped, rest)
      return experts(x)

    return run_of_state(mapped, rest, x)

  return run(experts, x)


def weights_times_two(experts: Experts):
  graphdef, variables = nnx.split(experts, nnx.Variable)
  return nnx.shard_map(
      lambda variables: 2.0 * nnx.merge(graphdef, variables).kernel[...],
      mesh=mesh,
      in_specs=(P(),),
      out_specs=P(),
  )(variables)
