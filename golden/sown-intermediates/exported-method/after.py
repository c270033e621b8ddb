import jax
from flax import nnx

__all__ = ["Encoder", "look"]


class Encoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = nnx.relu(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", x)
        return x

    @nnx.jit
    def _encode_and_pop(self, x: jax.Array):
        return self(x), nnx.clone(nnx.pop(self, nnx.Intermediate))

    def encode(self, x: jax.Array):
        result, sown = self._encode_and_pop(x)
        nnx.update(self, sown)
        return result


def look(x: jax.Array):
    encoder = Encoder(nnx.Rngs(0))
    y = encoder.encode(x)
    return y, nnx.pop(encoder, nnx.Intermediate)
