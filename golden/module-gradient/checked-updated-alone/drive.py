import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x, training):
        return self.drop(self.linear(x), deterministic=not training)


def drive(program):
    batches = [{"x": jnp.arange(6.0).reshape(3, 2) * i, "y": jnp.zeros((3, 2))} for i in (1, 2)]
    return program.train(Net, batches)
