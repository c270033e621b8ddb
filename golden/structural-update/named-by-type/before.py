"""What a call runs is found by the type of an object: protocols, mixins, single dispatch, visitors."""

import abc
import functools
from typing import Protocol

import jax.numpy as jnp
from flax import nnx


class Encoder(Protocol):
    def encode(self, x): ...


class Remembering(nnx.Module):
    def __init__(self):
        self.last = nnx.data(None)

    def encode(self, x):
        self.last = x
        return x + 1


class Scaling(abc.ABC):
    @abc.abstractmethod
    def scale(self, x): ...


class Counting(nnx.Module, Scaling):
    def __init__(self):
        self.seen = 0

    def scale(self, x):
        self.seen += 1
        return 2 * x


@functools.singledispatch
def prepare(layer):
    return layer


@prepare.register
def _(layer: nnx.Dropout):
    layer.rate = 0.0
    return None


@prepare.register(Counting)
def _(layer):
    layer.seen = 0
    return None


class Quieting:
    def visit(self, layer):
        getattr(self, f"visit_{type(layer).__name__.lower()}", self.others)(layer)

    def visit_dropout(self, layer):
        layer.deterministic = True

    def others(self, layer):
        pass


@functools.singledispatch
def describe(layer):
    return 0


@describe.register
def _(layer: nnx.Dropout):
    return layer.rate


@nnx.jit
def encode(encoder: Encoder, x):
    return encoder.encode(x)


@nnx.jit
def scale(scaling: Scaling, x):
    return scaling.scale(x)


@nnx.jit
def evaluate(drop: nnx.Dropout, x):
    prepare(drop)
    return drop(x)


@nnx.jit
def described(drop: nnx.Dropout, x):
    return drop(x) * describe(drop)


@nnx.jit
def visited(drop: nnx.Dropout, x):
    Quieting().visit(drop)
    return drop(x)


@nnx.jit
def by_its_dictionary(counting: Counting, x):
    counting.__dict__.update(seen=5)
    return x


def run(x):
    layers = {"remembering": Remembering, "counting": Counting}
    encoder, scaling = layers["remembering"](), layers["counting"]()
    found = [encode(encoder, x), encoder.last, scale(scaling, x), scaling.seen]
    found += [by_its_dictionary(scaling, x), scaling.seen]
    drop = nnx.Dropout(0.5, rngs=nnx.Rngs(0))
    found += [described(drop, x), evaluate(drop, x), drop.rate]
    return found, visited(drop, x), drop.deterministic
