import jax
import jax.numpy as jnp
from flax import nnx


class Adapted(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.base = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.steps[...] += 1
        return self.drop(self.base(x))


@nnx.jit(
    donate_argnames="model",  # its buffers are large
    donate_argnums=0,
)
def forward(model: Adapted, x: jax.Array):
    return model(x)


def run(model: Adapted, x: jax.Array):
    return [forward(model, x) for _ in range(2)]
