"""Train steps for whatever model the caller brings: what they do with it shows that it is one."""

import jax.numpy as jnp
from flax import nnx


@nnx.jit
def train_step(model, optimizer, batch):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        prediction = model(batch["x"])
        loss = jnp.mean((prediction - batch["y"]) ** 2)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


def mean_error(model, batch):
    return jnp.mean(jnp.abs(model(batch["x"]) - batch["y"]))


@nnx.jit
def held_step(optimizer, batch):
    model = optimizer.model

    def compute_loss(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        loss = mean_error(model, batch)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss

    grad_fn = nnx.value_and_grad(compute_loss)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = grad_fn(params, nondiff)
    optimizer.update(grads)
    return loss
