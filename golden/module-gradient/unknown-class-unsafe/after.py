"""A train step for whatever model the caller brings."""

import jax.numpy as jnp
from flax import nnx


@nnx.jit
def train_step(model, optimizer, batch):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        prediction = model(batch["x"])
        return jnp.mean((prediction - batch["y"]) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss
