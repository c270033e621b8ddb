import jax
from flax import nnx


class Autoencoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = nnx.Linear(3, 2, rngs=rngs)
        self.decoder = nnx.Linear(2, 3, rngs=rngs)

    @nnx.compat.jit
    def encode(self, x: jax.Array):
        encoder = self.encoder
        return encoder, encoder(x)
