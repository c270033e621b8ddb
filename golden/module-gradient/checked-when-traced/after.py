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
        def loss_fn(params, nondiff):
            model = nnx.merge(graphdef, params, nondiff)
            error = jnp.mean((model(x) - y) ** 2)
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return error, {"error": error}

        graphdef, params, nondiff = nnx.split(self.model, nnx.Param, ...)
        (loss, metrics), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
        self.optimizer.update(self.model, grads)
        return loss, metrics

    def step_of_its_own_loss(self, x, y):
        graphdef, params, nondiff = nnx.split(self.model, nnx.Param, ...)

        def loss_of_state(params, nondiff, x, y):
            model = nnx.merge(graphdef, params, nondiff)
            loss = self.loss(model, x, y)
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return loss

        loss, grads = nnx.value_and_grad(loss_of_state)(params, nondiff, x, y)
        self.optimizer.update(self.model, grads)
        return loss


@nnx.jit
def jitted_step(model: nnx.Module, optimizer: nnx.Optimizer, x: jax.Array, y: jax.Array):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = jnp.mean((m(x) - m(y)) ** 2)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    grads = nnx.grad(loss_of_state)(params, nondiff)
    optimizer.update(model, grads)
    return grads


@nnx.jit
def both(generator: nnx.Module, critic: nnx.Module, x: jax.Array):
    def loss(generator_params, critic_params, generator_nondiff, critic_nondiff):
        generator = nnx.merge(generator_graphdef, generator_params, generator_nondiff)
        critic = nnx.merge(critic_graphdef, critic_params, critic_nondiff)
        loss = jnp.mean(critic(generator(x)) ** 2)
        if nnx.split(generator, nnx.Param, ...) != (
            generator_graphdef,
            generator_params,
            generator_nondiff,
        ):
            raise ValueError("generator must keep its structure")
        if nnx.split(critic, nnx.Param, ...) != (critic_graphdef, critic_params, critic_nondiff):
            raise ValueError("critic must keep its structure")
        return loss

    generator_graphdef, generator_params, generator_nondiff = nnx.split(generator, nnx.Param, ...)
    critic_graphdef, critic_params, critic_nondiff = nnx.split(critic, nnx.Param, ...)
    return nnx.grad(loss, argnums=(0, 1))(
        generator_params, critic_params, generator_nondiff, critic_nondiff
    )
