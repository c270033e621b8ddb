"""Objects that a base class makes no trees: bridge.Module, and a base class of the project."""

import jax.numpy as jnp
from flax import nnx
from flax.nnx import bridge


class Base(nnx.Module):
    def __init_subclass__(cls, **options):
        super().__init_subclass__(pytree=False, **options)


class Net(Base):
    def __init__(self):
        self.scale = nnx.Param(jnp.ones(2))

    def copy(self):
        return nnx.clone(self)


class Block(bridge.Module):
    width: int

    def copy(self):
        return nnx.clone(self)


def params_of(net: Net):
    return [path for path, value in nnx.iter_graph(net) if isinstance(value, nnx.Param)]


def copied():
    return Block(3).copy().width


class Ordinary(nnx.Module):
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)


class Tree(Ordinary):
    def __init__(self):
        self.scale = nnx.Param(jnp.ones(2))

    def copy(self):
        return nnx.clone(self)
