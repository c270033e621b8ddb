"""Gradients with respect to something that nothing names, and that no optimizer is updated with."""

import jax.numpy as jnp
from flax import nnx


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def train_step(model, optimizer, batch):
    def loss_fn(model):
        prediction = model(batch["x"])
        return jnp.mean((prediction - batch["y"]) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    return loss, grads
