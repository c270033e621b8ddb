import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Noisy(nnx.Rngs(0))
    return [program.forked(model, jnp.arange(6.0).reshape(3, 2)) for _ in range(2)], model
