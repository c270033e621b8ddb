import jax
from flax import nnx


class Block(nnx.Module):
    def __init__(self, rngs: nnx.Rngs, sow_activations: bool = False):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.sow_activations = sow_activations

    def __call__(self, x: jax.Array):
        x = self.linear(x)
        if self.sow_activations:
            self.sow(nnx.Intermediate, "activations", x)
        return x


class Encoder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs) for _ in range(2)])
        self.dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(dropout=1))

    def __call__(self, x: jax.Array):
        for block in self.blocks:
            x = block(x)
        return self.dropout(x)
