import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


@nnx.jit
def predict(model: Net, x):
    model = nnx.clone(model)
    model.eval()
    return model(x)


@nnx.jit
def deterministic(model: Net, x):
    quiet = nnx.view(model, deterministic=True)
    return quiet(x)
