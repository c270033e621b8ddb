import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.create(nnx.Rngs(1))
    xs = jnp.arange(24.0).reshape(3, 4, 2)
    return [program.forward(model, xs) for _ in range(3)], model
