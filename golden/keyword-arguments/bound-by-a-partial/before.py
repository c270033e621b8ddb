"""Keywords that a partial binds to a mapped function."""

import functools

import jax.numpy as jnp
from flax import nnx


def shifted(x, y):
    return x - 2 * y


@functools.partial(nnx.vmap, in_axes=1)
def decorated(x, y):
    return x - 2 * y


along_columns = nnx.vmap(shifted, in_axes=1)


def run(x, y):
    at_once = functools.partial(nnx.vmap(shifted, in_axes=1), y=y)
    by_name = functools.partial(along_columns, y=y)
    of_decorated = functools.partial(decorated, y=y)
    by_place = functools.partial(nnx.vmap(shifted, in_axes=1), x)
    return at_once(x), by_name(x), of_decorated(x), by_place(y)
