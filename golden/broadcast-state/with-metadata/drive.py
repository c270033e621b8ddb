import jax.numpy as jnp
from flax import nnx


def drive(program):
    noise = program.Noise(nnx.Rngs(0))
    kernels = nnx.Param(
        jnp.ones((3, 2, 2)), out_sharding=("layers", "in", "out"), eager_sharding=False
    )
    return [program.run(noise, kernels, jnp.ones((4, 2))) for _ in range(2)], noise, kernels
