"""A mapped default, defaults that do not matter, and a checkified function called by keyword."""

import jax.numpy as jnp
from flax import nnx
from jax.experimental import checkify


def weighted(x, weights=jnp.arange(3.0)):
    return x * weights


def biased(x, bias=None):
    return x if bias is None else x + bias


mapped = nnx.compat.vmap(weighted)
mapped_bias = nnx.vmap(biased)


def positive(x, scale):
    checkify.check(jnp.all(x > 0), "not positive")
    return x * scale


checked = nnx.checkify(positive)


def run(xs):
    by_place = mapped(xs, xs)
    return by_place, mapped(xs), mapped_bias(xs), mapped_bias(xs, bias=xs), checked(xs, 2)[1]
