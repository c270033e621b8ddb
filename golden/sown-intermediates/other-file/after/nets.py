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
def _forward_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def forward(model: Net, x: jax.Array):
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result
