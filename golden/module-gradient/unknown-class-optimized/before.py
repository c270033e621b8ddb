"""Train steps for whatever model the caller brings: what they do with it shows that it is one."""

import jax.numpy as jnp
from flax import nnx


@nnx.jit
def train_step(model, optimizer, batch):
    def loss_fn(model):
        prediction = model(batch["x"])
        return jnp.mean((prediction - batch["y"]) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    return loss


def mean_error(model, batch):
    return jnp.mean(jnp.abs(model(batch["x"]) - batch["y"]))


@nnx.jit
def held_step(optimizer, batch):
    model = optimizer.model

    def compute_loss(model):
        return mean_error(model, batch)

    grad_fn = nnx.value_and_grad(compute_loss)
    loss, grads = grad_fn(model)
    optimizer.update(grads)
    return loss
