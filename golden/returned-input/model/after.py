import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        return self.linear(x)


@nnx.jit
def decay(model: Net, rate) -> None:
    model.linear.kernel[...] *= 1.0 - rate
    model.steps[...] += 1


def train(model: Net):
    for rate in (0.1, 0.2):
        decay(model, rate)
    return model
