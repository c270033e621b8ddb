from functools import partial

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


@nnx.split_rngs(splits=2)
@partial(nnx.vmap, in_axes=0, out_axes=0)
def create(rngs: nnx.Rngs):
    return Net(rngs)


@partial(
    nnx.vmap,
    in_axes=(0, None),
    out_axes=0,
)
def forward(model: Net, x):
    return model(x)


@nnx.jit
def mean_prediction(model: Net, x):
    return jnp.mean(forward(model, x), axis=0)
