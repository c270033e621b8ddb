import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


@nnx.compat.jit
def left_there(model: Net, x: jax.Array):
    return model(x)


@nnx.compat.jit
def handed_on(model: Net, x: jax.Array):
    return model(x)


@nnx.compat.jit
def replaced(model: Net, x: jax.Array):
    return model(x)


@nnx.compat.jit
def sown_before(model: Net, x: jax.Array):
    return model(x)
