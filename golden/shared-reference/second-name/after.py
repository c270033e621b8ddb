"""Layers that a block keeps under two names, for readers and tests of an older version."""

import jax
import jax.numpy as jnp
from flax import nnx


class Attention(nnx.Module):
    def __init__(self, dim: int, *, constraints=(), rngs: nnx.Rngs):
        self.attention = nnx.MultiHeadAttention(2, dim, decode=False, rngs=rngs)
        if constraints:
            self.proj = nnx.Linear(dim, len(constraints), rngs=rngs)

        self.q = nnx.Linear(dim, dim, rngs=rngs)

    # Keep aliases
    @property
    def out_proj(self):
        return self.attention.out

    # the same for tests
    @property
    def projection(self) -> nnx.Linear:
        return self.proj

    def __call__(self, x):
        y = self.q(self.attention(x))
        if hasattr(self, "projection"):
            y = y * self.proj(x).mean() + self.projection(x).mean()
        return self.out_proj(y.reshape(*y.shape[:-1], 2, 2))


@nnx.jit
def forward(model: Attention, x):
    return model(x)


def run(x):
    models = [Attention(4, constraints=names, rngs=nnx.Rngs(0)) for names in ((), ("mass",))]
    return [[forward(model, x) for _ in range(2)] for model in models], models
