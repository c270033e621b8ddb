import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, features: int, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, features, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


@nnx.jit(static_argnames="features")
def create(rngs: nnx.Rngs, *, features: int):
    return Net(features, rngs=rngs)


@nnx.jit
def scaled(model: Net, factor):
    model = nnx.clone(model)
    model.linear.kernel[...] *= factor
    return model
