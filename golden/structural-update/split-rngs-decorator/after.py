"""Monte-Carlo dropout that switches the model to train mode for it."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.samples = 0

    def __call__(self, x: jax.Array):
        return self.dropout(self.linear(x))


@nnx.compat.fork_rngs(split=4)
def mc_dropout(model: Net, x: jax.Array):
    model.train()
    model.samples = 4
    graphdef, rng_state, rest = nnx.split(model, nnx.RngState, ...)
    run = nnx.vmap(lambda r, s, x: nnx.merge(graphdef, r, s)(x), in_axes=(0, None, None))
    return jnp.mean(run(rng_state, rest, x), axis=0)
