"""Loops that run what nobody sees over an object that holds Variables alone."""

import jax.numpy as jnp
from flax import nnx


class Counter(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.other = nnx.Param(jnp.zeros(2))
        self.parts = nnx.List([nnx.Param(jnp.ones(2))])


def repeat(update, model: Counter):
    def body(carry):
        model, i = carry
        update(model)
        return model, i + 1

    model, _ = nnx.while_loop(lambda carry: carry[1] < 3, body, (model, 0))
    return model
