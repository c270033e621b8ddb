import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    x = jnp.ones((1, 2))
    read = program.checked_read(net, x)[1]
    return read, program.checked(net, x)[1], hasattr(net, "last")
