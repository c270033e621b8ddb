"""Steps whose loss the caller brings: what it does to the model is checked when it is traced."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


def train_step(model: nnx.Module, optimizer: nnx.Optimizer, loss_fn: Callable, batch: jax.Array):
    (loss, metrics), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model, batch)
    optimizer.update(model, grads)
    return loss, metrics


class Trainer:
    def __init__(self, evaluate: Callable):
        self.evaluate = evaluate

    def gradients(self, model: nnx.Module, batch: jax.Array):
        def loss_fn(m: nnx.Module):
            loss, metrics = self.evaluate(m, batch)
            return loss, {"loss": loss, **metrics}

        return nnx.grad(loss_fn, has_aux=True)(model)


def distil(model: nnx.Module, teacher: nnx.Module, loss_fn: Callable, batch: jax.Array):
    return nnx.grad(loss_fn)(model, teacher, batch)


def quiet(model: nnx.Module, batch: jax.Array):
    model.eval()
    return jnp.mean(model(batch) ** 2)


def quiet_gradients(model: nnx.Module, quiet: Callable, batch: jax.Array):
    return nnx.grad(quiet)(model, batch)
