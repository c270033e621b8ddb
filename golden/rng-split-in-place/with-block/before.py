import jax
import jax.numpy as jnp
from flax import nnx


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.linear(x))


def keys(model: Noisy):
    return jax.random.key_data(model.drop.rngs.key[...])


@nnx.jit
def forked(model: Noisy, x: jax.Array):
    with nnx.fork_rngs(model):
        once = model(x)
    with nnx.split_rngs(model, splits=3), jax.named_scope("keys"):
        split = keys(model)
    return once, split, keys(model)
