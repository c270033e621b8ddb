"""A forward pass on every device, after which somebody asks where the model lies."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.linear(x)


@nnx.pmap(in_axes=(None, 0), out_axes=0)
def forward(model: Net, x: jax.Array):
    return model(x)


@nnx.pmap(in_axes=0, out_axes=0)
def double(x: jax.Array):
    return 2 * x


def placed(model: Net, x: jax.Array):
    y = forward(model, double(x))
    return y, len(model.linear.kernel[...].sharding.device_set)
