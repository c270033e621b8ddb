import jax
import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = nnx.relu(self.linear(x))
        self.sow(nnx.Intermediate, "activation", y)
        return y


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs) for _ in range(2)])

    def __call__(self, x: jax.Array):
        for block in self.blocks:
            x = block(x)
        return x


@nnx.jit
def forward(model: Net, x):
    return model(x)


def activations(model: Net, x):
    y = forward(model, x)
    intermediates = nnx.pop(model, nnx.Intermediate)
    return y, nnx.to_pure_dict(intermediates)
