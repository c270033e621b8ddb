import jax.numpy as jnp
from flax import nnx


def drive(program):
    net, xs = program.Net(), jnp.arange(1.0, 4.0)
    total = nnx.Variable(jnp.zeros(()))
    return program.shifted(net, xs), program.summed(xs, total), program.paired(net, xs)
