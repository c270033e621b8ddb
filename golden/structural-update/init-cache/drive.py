import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Decoder(nnx.Rngs(0))
    tokens = jnp.arange(12.0).reshape(3, 1, 1, 4)
    return [program.generate(model, tokens) for _ in range(2)], model
