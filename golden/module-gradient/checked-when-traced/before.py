"""A trainer for any Module: the class of its model is not known here."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


class Trainer:
    def __init__(self, model: nnx.Module, optimizer: nnx.Optimizer, loss: Callable):
        self.model = model
        self.optimizer = optimizer
        self.loss = loss

    def step(self, x, y):
        def loss_fn(model):
            error = jnp.mean((model(x) - y) ** 2)
            return error, {"error": error}

        (loss, metrics), grads = nnx.value_and_grad(loss_fn, has_aux=True)(self.model)
        self.optimizer.update(self.model, grads)
        return loss, metrics

    def step_of_its_own_loss(self, x, y):
        loss, grads = nnx.value_and_grad(self.loss)(self.model, x, y)
        self.optimizer.update(self.model, grads)
        return loss


@nnx.jit
def jitted_step(model: nnx.Module, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array):
    grads = nnx.grad(lambda m: jnp.mean((m(x) - m(y)) ** 2))(model)
    optimizer.update(model, grads)
    return grads


@nnx.jit
def both(generator: nnx.Module, critic: nnx.Module, x: jax.Array):
    def loss(generator, critic):
        return jnp.mean(critic(generator(x)) ** 2)

    return nnx.grad(loss, argnums=(0, 1))(generator, critic)
