"""Scans over the rows with whatever model the caller brings."""

import jax.numpy as jnp
from flax import nnx

AXES = (None, nnx.Carry, 0)


def forward(model, x):
    return model.encode(x)


@nnx.scan(in_axes=AXES, out_axes=(nnx.Carry, 0))
def step(model, h, x):
    model = nnx.clone(model)  # each iteration updates its own copy
    h = jnp.tanh(forward(model, h) + x)
    return h, h.sum()


def run(body, model, xs):
    return nnx.compat.scan(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(body)), in_axes=(None, 0), out_axes=0
    )(model, xs)
