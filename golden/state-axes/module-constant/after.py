import jax
import jax.numpy as jnp
from flax import nnx

# How the state of the model is spread over the population.
MODEL_AXES = nnx.StateAxes({nnx.Param: 0, nnx.BatchStat: 0, ...: None})


class Net(nnx.Module):
  def __init__(self, rngs: nnx.Rngs):
    self.linear = nnx.Linear(2, 3, rngs=rngs)
    self.norm = nnx.BatchNorm(3, rngs=rngs)
    self.step = nnx.Variable(jnp.array(0))

  def __call__(self, x: jax.Array):
    return self.norm(self.linear(x))


@nnx.split_rngs(splits=3)
def create(rngs: nnx.Rngs) -> Net:
  @nnx.vmap(in_axes=0, out_axes=(None, 0, None))
  def create_of_state(rngs):
    return nnx.split(Net(rngs), (nnx.Param, nnx.BatchStat), ...)

  return nnx.merge(*create_of_state(rngs))


def forward(model: Net, x: jax.Array):
  graphdef, mapped, rest = nnx.split(model, (nnx.Param, nnx.BatchStat), ...)

  @nnx.vmap(in_axes=(0, None, None), out_axes=0)
  def forward_of_state(mapped, rest, x):
    model = nnx.merge(graphdef, mapped, rest)
    model.step[...] += 1
    return model(x)

  return forward_of_state(mapped, rest, x)


def scores(model: Net, x: jax.Array):
  graphdef, mapped, rest = nnx.split(model, (nnx.Param, nnx.BatchStat), ...)

  def mapped_fn(mapped, rest, x):
    m = nnx.merge(graphdef, mapped, rest)
    return jnp.sum(m(x) ** 2)

  return nnx.vmap(mapped_fn, in_axes=(0, None, None))(mapped, rest, x)
