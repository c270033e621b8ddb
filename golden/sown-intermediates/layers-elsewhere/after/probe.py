import jax
from flax import nnx
from nets import Net


def look(model: Net, x: jax.Array):
    y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
    return y, intermediates
