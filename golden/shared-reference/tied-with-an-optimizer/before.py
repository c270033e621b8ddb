"""An optimizer of a model with tied weights, and the model seen in other ways."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.encoder = self.decoder = nnx.Linear(2, 2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.decoder(self.dropout(self.encoder(x)))


class Free(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def trained(rngs: nnx.Rngs, x: jax.Array):
    model = Tied(rngs)
    nnx.reseed(model, default=1)
    optimizer = nnx.Optimizer(
        model,
        optax.adam(0.1),
        wrt=nnx.Param,  # all of it
    )
    for _ in range(3):
        grads = nnx.grad(lambda model: jnp.mean(model(x) ** 2))(model)
        optimizer.update(model, grads)
    seen = nnx.view(model, deterministic=True)
    return seen(x), model.encoder.kernel[...], optimizer.step[...]


def made(rngs: nnx.Rngs):
    optimizer = nnx.Optimizer(Tied(rngs), optax.sgd(0.1), wrt=nnx.Param)
    return isinstance(optimizer, nnx.Optimizer), jax.tree.leaves(optimizer.opt_state)


def free(rngs: nnx.Rngs):
    optimizer = nnx.Optimizer(Free(rngs), optax.adam(0.1), wrt=nnx.Param)
    return len(jax.tree.leaves(optimizer))
