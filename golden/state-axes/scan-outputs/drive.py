import jax.numpy as jnp
from flax import nnx


def drive(program):
    layers = program.create(nnx.Rngs(0))
    x = jnp.arange(8.0).reshape(4, 2)
    return [program.forward(layers, x) for _ in range(2)], layers
