"""A function that changes its Module, on lines without room for what keeps it in graph mode."""

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))


def remember(model: Net, x):
    model.last = x.shape
    return (model.w * x).sum()


def once(model: Net, x):
    return nnx.compat.jit(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(remember)),
        keep_unused=False,
        inline=True,
        device=None,
    )(model, x)


def chosen(flag, model: Net, x):
    if True: y = nnx.compat.cond(
        flag, (nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(remember))), ((nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(remember)))),
        model,
        x,
    ); return y  # in brackets


def printed(model: Net, x):
    return f"{nnx.compat.jit(nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(remember)), keep_unused=False, inline=True, device=None)(model, x):.1f}"


def mapped(model: Net, xs):
    return [nnx.compat.jit(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(remember)),
        keep_unused=False,
        inline=True,
    )(model, x) for x in xs], len(xs)


def short(model: Net, x):
    return nnx.compat.jit(nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(remember)))(model, x)


def after_others(model: Net, x):
    """Where there are line breaks already, no more are made."""
    return nnx.compat.jit(nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(remember)), keep_unused=False, inline=True, device=None,
                   static_argnums=())(model, x)
