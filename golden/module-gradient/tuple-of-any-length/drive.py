import jax.numpy as jnp
from flax import nnx


def drive(program):
    nets = tuple(program.Net(nnx.Rngs(seed)) for seed in range(2))
    return program.run(nets, jnp.ones((1, 2))), nets
