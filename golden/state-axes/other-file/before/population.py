import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.drop(self.norm(self.linear(x)))


_axes = nnx.StateAxes({nnx.Param: 0, nnx.BatchStat: 0, nnx.RngState: 0, ...: None})


@nnx.split_rngs(splits=3)
@nnx.vmap(out_axes=_axes)
def create(rngs: nnx.Rngs) -> Net:
    """A population of three."""
    return Net(rngs)


@nnx.vmap(in_axes=(_axes, None))
def evaluate(model: Net, x: jax.Array) -> jax.Array:
    return jnp.mean(model(x) ** 2)
