import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.Net(nnx.Rngs(0))
    xs = jnp.arange(6.0).reshape(3, 2)
    return [program.run(net, jnp.ones(2), xs) for _ in range(2)], net
