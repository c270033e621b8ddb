import jax.numpy as jnp
from flax import nnx


def drive(program):
    model, scale = program.Net(nnx.Rngs(0)), nnx.Variable(jnp.array(2.0))
    out = program.descend(model, jnp.ones(2), jnp.array([0.1, 0.2]))
    offset = {"bias": jnp.ones(2), "shift": jnp.array(1.0)}
    stats = program.Stats(nnx.BatchStat(jnp.array(2.0)))
    shifted = program.shifted(stats, jnp.arange(3.0))
    scaled = program.scaled(scale, jnp.arange(4.0), offset, jnp.ones((3, 2)))
    return out, scaled, shifted, model, stats
