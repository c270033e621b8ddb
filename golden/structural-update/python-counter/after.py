import jax
from flax import nnx


class WarmUp(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = 0
        self.warm = False

    @nnx.compat.jit
    def step(self, x: jax.Array):
        self.calls += 1
        if self.calls >= 2:
            self.warm = True
        return self.linear(x) * (1.0 if self.warm else 0.1) * self.calls
