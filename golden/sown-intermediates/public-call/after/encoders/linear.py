import jax
from flax import nnx


class Encoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    @nnx.compat.jit
    def __call__(self, x: jax.Array):
        x = nnx.relu(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", x)
        return x


def look(x: jax.Array):
    encoder = Encoder(nnx.Rngs(0))
    y = encoder(x)
    return y, nnx.pop(encoder, nnx.Intermediate)
