"""Functions and classes that register themselves, and are looked up by a name."""

import collections

import jax.numpy as jnp
from flax import nnx

LOSSES = {}
MODELS = {}
LAYERS = {}
HANDLERS = collections.defaultdict(list)


def loss(name):
    def register(function):
        LOSSES[name] = function
        return function

    return register


def on(event):
    def register(function):
        HANDLERS[event].append(function)
        return function

    return register


def layer(cls):
    LAYERS[cls.__name__.lower()] = cls
    return cls


class Model(nnx.Module):
    def __init_subclass__(cls, **options):
        super().__init_subclass__(**options)
        MODELS[cls.__name__.lower()] = cls

    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.seen = 0

    @classmethod
    def fresh(cls):
        return cls()

    def __call__(self, x):
        return self.w[...] * x


class Plain(Model):
    pass


class Counting(Model):
    def __call__(self, x):
        self.seen += 1
        return super().__call__(x)


@layer
class Remembering(nnx.Module):
    def __init__(self):
        self.last = nnx.data(None)

    def __call__(self, x):
        self.last = x
        return x


@loss("square")
def square(model, x):
    return (model.w[...] * x) ** 2


@loss("counted")
def counted(model, x):
    model.seen += 1
    return model.w[...] * x * model.seen


@on("forward")
def count(model):
    model.seen += 10


def step_for(name):
    function = LOSSES[name]

    @nnx.compat.jit
    def step(model: Plain, x):
        return function(model, x).sum()

    return step


@nnx.compat.jit
def by_name(model, x):
    return model(x)


@nnx.compat.jit
def by_classmethod(model, x):
    return model(x)


@nnx.compat.jit
def with_handlers(model: Plain, x):
    for handler in HANDLERS["forward"]:
        handler(model)
    return model(x)


@nnx.compat.jit
def remember(layer, x):
    return layer(x)


def run(x):
    plain, counting, layer = Plain(), MODELS["counting"](), LAYERS["remembering"]()
    fresh = Counting.fresh()
    step = step_for("counted")
    found = [with_handlers(plain, x), step(plain, x), step(plain, x), by_name(counting, x)]
    found.append(by_classmethod(fresh, x))
    return found, remember(layer, x), layer.last, plain.seen, counting.seen, fresh.seen
