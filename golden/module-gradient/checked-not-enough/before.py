"""Gradients of any Module, where comparing its structure would not find what may happen."""

import jax.numpy as jnp
from flax import nnx


class Recorder(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def encode(self, x):
        h = self.linear(x)
        self.sow(nnx.Intermediate, "h", h)
        return h


def with_encoder(model: nnx.Module, x):
    def loss_fn(model):
        return jnp.mean(model.encode(x) ** 2)

    return nnx.grad(loss_fn)(model)


def with_state(model: nnx.Module, x):
    def loss_fn(model):
        return jnp.mean(model(x) ** 2), nnx.state(model, nnx.BatchStat)

    return nnx.grad(loss_fn, has_aux=True)(model)


def decorated(model: nnx.Module, x):
    @nnx.grad
    def loss_fn(model):
        if x.ndim > 1:
            return jnp.mean(model(x) ** 2)
        return jnp.sum(model(x))

    return loss_fn(model)
