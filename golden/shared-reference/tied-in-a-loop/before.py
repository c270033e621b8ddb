"""A loop over a model that keeps one Variable under two names, and over one that is given twice."""

import jax.numpy as jnp
from flax import nnx


class Tied(nnx.Module):
    def __init__(self):
        self.first = self.second = nnx.Param(jnp.zeros(2))


class Inner(nnx.Module):
    def __init__(self):
        self.total = nnx.Variable(jnp.zeros(2))


class Outer(nnx.Module):
    def __init__(self):
        self.inner = Inner()
        self.scale = nnx.Param(jnp.ones(2))


def count_up():
    model = Tied()

    def body(i, model):
        model.first[...] += 1.0
        return model

    nnx.fori_loop(0, 3, body, model)
    return model.first[...], model.second[...]


def accumulate():
    outer = Outer()
    inner = outer.inner

    def more(carry):
        return carry[0] < 3

    def body(carry):
        i, whole, part = carry
        part.total[...] += whole.scale[...]
        return i + 1, whole, part

    nnx.while_loop(more, body, (0, outer, inner))
    return outer
