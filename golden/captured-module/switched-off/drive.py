import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    x = jnp.ones((3, 2))
    found = [program.in_chunks(net, jnp.stack([x, 2 * x])), program.repeated(net, x)]
    return found, program.scaled(program.Scale(), x), program.counted(x)
