"""Functions that a text names when the program runs, under transforms and in traced functions."""

import sys

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return self.w * x


def counting(model, x):
    model.calls += 1
    return model.w * x


def doubled(x):
    return x * 2


def by_globals(name, model, x):
    step = nnx.compat.jit(nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(globals()[name])))
    return step(model, x)


def by_module(name, model, x):
    step = nnx.compat.remat(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(getattr(sys.modules[__name__], name)))
    )
    return step(model, x)


def by_class(name, model, x):
    step = nnx.compat.jit(nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(getattr(Net, name))))
    return step(model, x)


def by_parameter(function, model, x):
    return nnx.compat.vmap(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(function)), in_axes=(None, 0)
    )(model, x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def inside(model: Net, x):
    return globals()[NAME](model, x)


@nnx.compat.jit
def by_text(model: Net, x):
    exec("model.calls += 1")
    return x


def arrays_only(name, x):
    return nnx.jit(globals()[name])(jnp.ones(2) * 3)


NAME = "counting"
