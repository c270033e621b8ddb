import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x, training):
        return self.norm(self.linear(x), use_running_average=not training)


def drive(program):
    batches = [{"x": jnp.arange(6.0).reshape(3, 2) * i, "y": jnp.zeros((3, 2))} for i in (1, 2)]
    return program.train(Net, batches)
