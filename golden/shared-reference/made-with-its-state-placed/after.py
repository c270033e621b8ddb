"""Models that may keep an array, made sharded and returned with their State."""

import jax
import jax.numpy as jnp
from flax import nnx
from jax.sharding import Mesh


class Net(nnx.Module):
    def __init__(self, shifted: bool, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        if shifted:
            self.offset = jnp.ones(2)

    def __call__(self, x: jax.Array):
        return self.linear(x) + getattr(self, "offset", 0.0)


def create_sharded(shifted: bool, rngs: nnx.Rngs, mesh: Mesh):
    @nnx.jit
    def create(rngs):
        model = Net(shifted, rngs)
        state = nnx.state(model)
        pspecs = nnx.get_partition_spec(state)
        sharded = jax.lax.with_sharding_constraint(state, pspecs)
        nnx.update(model, sharded)
        return model

    with mesh:
        model = create(rngs)
        state = nnx.state(model)
    return model, state


def create_doubled(shifted: bool):
    @nnx.compat.jit
    def create():
        model = Net(shifted, nnx.Rngs(1))
        state = nnx.state(model)
        nnx.update(model, jax.tree.map(lambda x: 2 * x, nnx.state(model)))
        return model, state

    model, state = create()
    return model, state


def run(x: jax.Array, shifted: bool):
    mesh = Mesh(jax.devices()[:1], ("data",))
    model, state = create_sharded(shifted, nnx.Rngs(0), mesh)
    doubled, before = create_doubled(shifted)
    return model(x), doubled(x), state, before
