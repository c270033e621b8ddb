import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.norm = nnx.BatchNorm(3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.norm(self.linear(x)))


def drive(program):
    model, other, third = (Net(nnx.Rngs(seed)) for seed in range(3))
    x = jnp.arange(6.0).reshape(3, 2)
    model.eval()
    norms = [program.norm_of_gradients(model, x) for _ in range(2)]
    found = program.loss_and_output(other, x)
    read = program.gradients_of(third, x, True)
    twice = program.gradients_twice(model, x)
    return norms, model, found, other, other.drop.deterministic, read, third, twice
