import jax
from flax import nnx
from nets import Net


def look(model: Net, x: jax.Array):
    y = model(x)
    return y, nnx.pop(model, nnx.Intermediate)
