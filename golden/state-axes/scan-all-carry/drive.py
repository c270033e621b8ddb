import jax.numpy as jnp
from flax import nnx


def drive(program):
    walker = program.Walker(nnx.Rngs(0))
    forces = jnp.arange(8.0).reshape(4, 2)
    out = [program.rollout(walker, forces), program.rollout_call(walker, forces)]
    return out, walker
