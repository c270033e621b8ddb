"""Functions of a Module under capture, by a decorator and by a call, inside of transforms."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "balance", jnp.var(y))
        return y


@nnx.jit
@nnx.capture(nnx.Intermediate)
def twice(model: Net, x):
    return model(x) + model(2 * x)


once = nnx.jit(nnx.capture(lambda model, x: model(x), nnx.Intermediate))


def run(x):
    model = Net(nnx.Rngs(0))
    y, first = twice(model, x)
    z, second = once(model, x)
    return y, z, nnx.to_pure_dict(first), nnx.to_pure_dict(second), model
