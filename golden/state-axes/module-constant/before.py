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
@nnx.vmap(in_axes=0, out_axes=MODEL_AXES)
def create(rngs: nnx.Rngs) -> Net:
  return Net(rngs)


@nnx.vmap(in_axes=(MODEL_AXES, None), out_axes=0)
def forward(model: Net, x: jax.Array):
  model.step[...] += 1
  return model(x)


def scores(model: Net, x: jax.Array):
  return nnx.vmap(lambda m, x: jnp.sum(m(x) ** 2), in_axes=(MODEL_AXES, None))(model, x)
