import jax
import jax.numpy as jnp
from flax import nnx


class Recorder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.history = nnx.List([])

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.history.append(nnx.Variable(jnp.mean(y)))
        return y


@nnx.jit
def run(model: Recorder, x: jax.Array):
    return model(model(x))
