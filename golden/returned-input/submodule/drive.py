import jax.numpy as jnp
from flax import nnx


def drive(program):
    model = program.Autoencoder(nnx.Rngs(0))
    encoder, z = model.encode(jnp.arange(6.0).reshape(2, 3))
    return z, encoder, encoder is model.encoder, model
