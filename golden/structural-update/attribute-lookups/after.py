"""Structure that changes where an attribute is looked up, and in iterators and managers beside it."""

import contextlib

import jax.numpy as jnp
from flax import nnx


class Counted:
    def __get__(self, module, owner=None):
        module.reads += 1
        return 2.0


class Lazy(nnx.Module):
    scale = Counted()

    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.reads = 0

    def __getattr__(self, name):
        if name == "half":
            self.reads += 1
            return 0.5
        raise AttributeError(name)


class Walk:
    def __init__(self, model):
        self.model = model

    def __iter__(self):
        return self

    def __next__(self):
        self.model.reads += 1
        if self.model.reads > 4:
            raise StopIteration
        return self.model.w[...]


class Watched:
    def __init__(self, model):
        self.model = model

    def __enter__(self):
        self.model.reads += 1

    def __exit__(self, *error):
        return None


class Plain(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))

    @property
    def half(self):
        return 0.5


@nnx.compat.jit
def missing(model: Lazy, x):
    return model.half * x


@nnx.compat.jit
def described(model: Lazy, x):
    return model.scale * x


@nnx.compat.jit
def walked(model: Lazy, x):
    for w in Walk(model):
        x = x * w
    return x


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def stacked(model: Lazy, x):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Watched(model))
        return model.w * x


@nnx.jit
def found(model: Plain, x):
    return model.half * model.w * x
