import jax.numpy as jnp
from flax import nnx


def drive(program):
    net = program.create(nnx.Rngs(0))
    x = jnp.arange(4.0).reshape(2, 2)
    return [program.run(net, x) for _ in range(2)], net
