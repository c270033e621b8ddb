import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


def drive(program):
    model = Net(nnx.Rngs(0))
    batch = {"x": jnp.arange(6.0).reshape(3, 2), "y": jnp.ones((3, 3))}
    return program.eval_step(model, batch), program.predict(model, batch), model
