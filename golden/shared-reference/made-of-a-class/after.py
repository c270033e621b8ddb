"""Models of classes that are handed in, made under jit and returned with their State."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


class Deep(Net):
    def __init__(self, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.last = nnx.Linear(2, 2, rngs=rngs)


def create(kind, rngs, mesh):
    @nnx.jit(static_argnums=(0,))
    def _create(kind, rngs):
        model = kind(rngs=rngs)
        state = nnx.state(model)
        sharded = jax.lax.with_sharding_constraint(state, nnx.get_partition_spec(state))
        nnx.update(model, sharded)
        return model

    with mesh:
        model = _create(kind, rngs)
        state = nnx.state(model)
    return model, nnx.get_named_sharding(state, mesh)


def run(x):
    mesh = jax.sharding.Mesh(jax.devices()[:1], ("data",))
    return [create(kind, nnx.Rngs(0), mesh) for kind in (Net, Deep)]
