"""A trainer for any Module, with losses under decorators."""

import functools

import jax.numpy as jnp
from flax import nnx


class Trainer:
    def __init__(self, model: nnx.Module, optimizer: nnx.Optimizer):
        self.model = model
        self.optimizer = optimizer

    def step(self, x, y):
        @nnx.value_and_grad
        def loss_fn(params, nondiff):
            model = nnx.merge(graphdef, params, nondiff)
            predictions = model(x)
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return jnp.mean((predictions - y) ** 2)

        graphdef, params, nondiff = nnx.split(self.model, nnx.Param, ...)
        loss, grads = loss_fn(params, nondiff)
        self.optimizer.update(self.model, grads)
        return loss

    def step_with_output(self, x, y):
        @functools.partial(nnx.value_and_grad, has_aux=True)
        def loss_fn(params, nondiff, x):
            """The loss, and what the model gives."""
            model = nnx.merge(graphdef, params, nondiff)
            predictions = model(x)
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return (
                jnp.mean((predictions - y) ** 2),
                predictions,
            )  # both

        graphdef, params, nondiff = nnx.split(self.model, nnx.Param, ...)
        (loss, predictions), grads = loss_fn(params, nondiff, x)
        self.optimizer.update(self.model, grads)
        return loss, predictions

    def step_by_name(self, x, y):
        @nnx.grad
        def loss_fn(params, nondiff):
            model = nnx.merge(graphdef, params, nondiff)
            total = 0.0
            for scale in (1.0, 2.0):
                total += scale * jnp.mean((model(x) - y) ** 2)
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return total

        graphdef, params, nondiff = nnx.split(self.model, nnx.Param, ...)
        self.optimizer.update(self.model, loss_fn(params, nondiff))

    def step_by_parts(self, x, y):
        @nnx.compat.value_and_grad
        @nnx.set_graph_mode(True)
        @nnx.set_graph_updates(True)
        def loss_fn(model):
            if y is None:  # the check would have to stand twice
                return jnp.mean(model(x) ** 2)
            return jnp.mean((model(x) - y) ** 2)

        loss, grads = loss_fn(self.model)
        self.optimizer.update(self.model, grads)
        return loss

    def step_of_a_part(self, x, y):
        @nnx.compat.value_and_grad
        @nnx.set_graph_mode(True)
        @nnx.set_graph_updates(True)
        def loss_fn(model):
            model = getattr(model, "inner", model)
            return jnp.mean((model(x) - y) ** 2)

        loss, grads = loss_fn(self.model)
        self.optimizer.update(self.model, grads)
        return loss
