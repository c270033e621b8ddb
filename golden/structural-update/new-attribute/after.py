import jax
import jax.numpy as jnp
from flax import nnx


class Attention(nnx.Module):
    def __init__(self, features: int, *, rngs: nnx.Rngs):
        self.proj = nnx.Linear(features, features, rngs=rngs)

    def prefill(self, x: jax.Array):
        self.key_cache = nnx.Cache(self.proj(x))  # read by decode
        return jnp.sum(self.key_cache)

    def decode(self, x: jax.Array):
        return self.key_cache @ self.proj(x)


@nnx.compat.jit
def prefill(model: Attention, x: jax.Array):
    return model.prefill(x)


def generate(model: Attention, prompt: jax.Array, token: jax.Array):
    first = prefill(model, prompt)
    return first, model.decode(token)
