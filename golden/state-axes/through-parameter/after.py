import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


def batched(function, axes, *args):
    """Maps any function over its model; the caller says how."""
    return nnx.compat.vmap(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(function)), in_axes=(axes, None)
    )(*args)


def default_axes():
    return nnx.StateAxes({nnx.Param: 0, ...: 0})


@nnx.split_rngs(splits=3)
@nnx.vmap
def create(rngs: nnx.Rngs) -> Net:
    return Net(rngs)
