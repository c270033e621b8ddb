import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)


@nnx.jit
def mask_rows(dropout: nnx.Dropout, xs):
    return nnx.scan(lambda d, x: d(x), in_axes=(None, 0), out_axes=0)(dropout, xs)


def twice(model: Net, xs):
    return nnx.scan(
        lambda m, x: m.drop(x) + m.drop(-x),  # reads it twice
        in_axes=(None, 0),
        out_axes=0,
    )(model, xs)
