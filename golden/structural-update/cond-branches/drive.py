import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    x = jnp.arange(6.0).reshape(3, 2)
    return program.scaled(net, x), program.scaled(net, -x), net.visits, net
