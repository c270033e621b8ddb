import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


@nnx.scan(in_axes=(None, 0), out_axes=0)
def body(model: Noisy, x):
    """Each row with the same mask."""
    model = nnx.clone(model)
    return model(x)


def rows(model: Noisy, xs):
    return body(model, xs), nnx.scan(lambda m, x: nnx.clone(m)(x), in_axes=(None, 0), out_axes=0)(
        model, xs
    )
