import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, use_running_average=True, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


state_axes = nnx.StateAxes({nnx.RngState: 0, ...: None})


@nnx.split_rngs(splits=4)
@nnx.vmap(in_axes=(state_axes, 0))  # another mask for each example
def per_example(model: Net, x: jax.Array):
    return model(x)


@nnx.jit
def loss(model: Net, xs: jax.Array):
    @nnx.split_rngs(splits=4, only="dropout")
    @nnx.vmap(in_axes=(nnx.StateAxes({"dropout": 0, ...: None}), 0))
    def run(model: Net, x):
        return model(x)

    return jnp.mean(run(model, xs))
