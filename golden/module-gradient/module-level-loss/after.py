from __future__ import annotations

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):

    def __init__(self, rngs: nnx.Rngs) -> None:
        self.layer = nnx.Linear(2, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.readout = nnx.Linear(4, 1, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.readout(self.drop(nnx.tanh(self.norm(self.layer(x)))))


def loss_fn(model: Net, x: jax.Array, y: jax.Array) -> jax.Array:
    """Mean squared error; also called without a gradient, by `evaluate`."""
    return jnp.mean((model(x) - y) ** 2)


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer[Net], x: jax.Array, y: jax.Array) -> jax.Array:
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff, x, y):
        return loss_fn(nnx.merge(graphdef, params, nondiff), x, y)

    loss, grads = nnx.value_and_grad(loss_fn_of_state)(params, nondiff, x, y)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def evaluate(model: Net, x: jax.Array, y: jax.Array) -> jax.Array:
    return loss_fn(model, x, y)
