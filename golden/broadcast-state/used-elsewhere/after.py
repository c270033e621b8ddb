import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)


def body(model: Noisy, x):
    return model.drop(model.linear(x))


def rows(model: Noisy, xs):
    return nnx.compat.scan(body, in_axes=(None, 0), out_axes=0)(model, xs)


def row(model: Noisy, x):
    return body(model, x)
