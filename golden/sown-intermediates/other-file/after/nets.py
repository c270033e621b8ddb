import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


@nnx.jit
@nnx.capture(nnx.Intermediate)
def forward(model: Net, x: jax.Array):
    return model(x)
