import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def encode(self, x):
        return self.drop(self.linear(x))


def drive(program):
    model, xs = Net(nnx.Rngs(0)), jnp.arange(6.0).reshape(3, 2)
    scanned = program.step(model, jnp.ones(2), xs)
    return scanned, program.run(lambda m, x: m.encode(x), model, xs), model
