"""Names that are computed, where all that they may mean is in sight: judged by all of it."""

import operator

import jax.numpy as jnp
from flax import nnx


class Block(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.calls = 0

    def __call__(self, x):
        self.calls += 1
        return self.w * x


class Quiet(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))

    def __call__(self, x):
        self.w[...] += 1
        return self.w * x


class Numbered(nnx.Module):
    def __init__(self):
        for i in range(2):
            setattr(self, f"block{i}", Block())

    def __call__(self, x):
        for i in range(2):
            x = getattr(self, f"block{i}")(x)
        return x


class QuietlyNumbered(nnx.Module):
    def __init__(self):
        for i in range(2):
            setattr(self, f"block{i}", Quiet())

    def __call__(self, x):
        for i in range(2):
            x = getattr(self, f"block{i}")(x)
        return x


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.calls = 0

    def counting(self, x):
        self.calls += 1
        return self.w * x

    def plain(self, x):
        return self.w * x


def add(model, x):
    model.w[...] += x
    return model.w[...]


def multiply(model, x):
    model.w[...] *= x
    return model.w[...]


def count(model, x):
    model.calls += 1
    return x


IN_PLACE = {"add": add, "multiply": multiply}
MIXED = {"add": add, "count": count}


def in_place(name, model: Net, x):
    return nnx.jit(IN_PLACE[name])(model, x)


def mixed(name, model: Net, x):
    return nnx.compat.jit(MIXED[name])(model, x)


def run(model: Net, name, x):
    return getattr(model, name)(x)


@nnx.compat.jit
def forward(model, x):
    return model(x)


@nnx.jit
def quietly(model: QuietlyNumbered, x):
    return model(x)


@nnx.compat.jit
def by_name(model: Net, x):
    return run(model, "counting", x)


@nnx.compat.jit
def by_caller(model: Net, x):
    return operator.methodcaller("counting", x)(model)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def by_mode(model: Net, x):
    for mode in ("train", "eval"):
        getattr(model, mode)()
    return x


def numbered(x):
    model = Numbered()
    return forward(model, x), model.block0.calls
