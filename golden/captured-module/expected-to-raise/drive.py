import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    x = jnp.ones(2)
    return program.fallback(net, x), program.inside(net, x), program.skipped(net, x), net
