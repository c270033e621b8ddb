import jax.numpy as jnp
from flax import nnx


def drive(program):
    members, x = program.create(nnx.Rngs(0)), jnp.arange(4.0).reshape(2, 2)
    first, second = program.stacked(members, x), program.wrapped(members, x)
    return first, second, members.calls
