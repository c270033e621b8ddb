"""Jitted functions that make a model and return it with its State, to create it sharded."""

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import Mesh


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0.0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


@nnx.jit
def create():
    model = Net(nnx.Rngs(0))
    state = nnx.state(model)
    sharded = jax.lax.with_sharding_constraint(state, nnx.get_partition_spec(state))
    nnx.update(model, sharded)
    return model


@nnx.jit
def create_with_params():
    model = Net(nnx.Rngs(0))
    return model


@nnx.compat.jit
def create_parts():
    model = Net(nnx.Rngs(0))
    return model.linear, nnx.state(model)


@nnx.compat.jit
def create_pair():
    model = Net(nnx.Rngs(0))
    return model, nnx.state(model)


@nnx.compat.jit
def create_and_grow():
    model = Net(nnx.Rngs(0))
    state = nnx.state(model)
    model.more = nnx.Param(jnp.zeros(()))
    return model, state


@nnx.jit
def create_alone():
    model = Net(nnx.Rngs(0))
    sharded = nnx.state(model)
    nnx.update(model, sharded)
    return model


@nnx.jit
def create_and_copy():
    model = Net(nnx.Rngs(0))
    return model, nnx.clone(nnx.state(model))


@nnx.jit
def create_arrays():
    model = Net(nnx.Rngs(0))
    return model, nnx.as_pure(nnx.state(model))


@nnx.jit
def create_split():
    model = Net(nnx.Rngs(0))
    graphdef, params, rest = nnx.split(model, nnx.Param, ...)
    return params, rest


def run(x: jax.Array):
    with Mesh(jax.devices()[:1], ("data",)):
        model = create()
        state = nnx.state(model)
        other = create_with_params()
        params = nnx.state(other, nnx.Param)
        linear, whole = create_parts()
        pair = create_pair()
        grown, before = create_and_grow()
        alone = create_alone()
        copied, copy = create_and_copy()
        pure, arrays = create_arrays()
        split = create_split()
    y = model(x) + other(x) + linear(x) + alone(x) + copied(x) + pure(x) + grown(x)
    shared = state["calls"] is model.calls
    return y, shared, state, params, whole, copy, arrays, split, pair[1], before
