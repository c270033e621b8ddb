"""Optimizers of the project's own, made of a model with tied weights."""

import jax.numpy as jnp
import optax
from flax import nnx


class Tied(nnx.Module):
    def __init__(self):
        self.embed = self.unembed = nnx.Param(jnp.ones(2))


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))


class Plain(nnx.Optimizer):
    pass


class Constructed(nnx.Optimizer):
    def __init__(self, model, rate):
        super().__init__(model, optax.sgd(rate), wrt=nnx.Param)


class Again(Constructed):
    def __init__(self, model):
        super().__init__(model, 0.5)


class Ordinary(nnx.Optimizer):
    def __init__(self, model, rate):
        super().__init__(model, optax.sgd(rate), wrt=nnx.Param)


def plain():
    return Plain(Tied(), optax.sgd(0.5), wrt=nnx.Param).step[...]


def constructed():
    return Constructed(Tied(), 0.5).step[...], Again(Tied()).step[...]


def ordinary():
    return Ordinary(Net(), 0.5).step[...], Plain(Net(), optax.sgd(0.5), wrt=nnx.Param).step[...]
