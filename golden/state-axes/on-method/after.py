import jax
import jax.numpy as jnp
from flax import nnx


class Ensemble(nnx.Module):
    """Members share the projection and have their own statistics."""

    def __init__(self, n: int, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.mean = nnx.BatchStat(jnp.zeros((n, 3)))
        self.rngs = rngs.fork(split=n)

    def __call__(self, x: jax.Array) -> jax.Array:
        """One row of x a member."""
        graphdef, mapped, rest = nnx.split(self, (nnx.BatchStat, nnx.RngState), ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def call_of_state(mapped, rest, x):
            self = nnx.merge(graphdef, mapped, rest)
            h = self.linear(x)
            self.mean[...] = 0.9 * self.mean[...] + 0.1 * h
            return h - self.mean[...] + jax.random.normal(self.rngs(), h.shape)

        return call_of_state(mapped, rest, x)


@nnx.jit
def forward(model: Ensemble, x: jax.Array):
    return model(x)
