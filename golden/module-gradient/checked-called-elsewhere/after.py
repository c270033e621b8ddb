"""A gradient function that an inner step calls: the class of its model is not known."""

import jax
import jax.numpy as jnp
from flax import nnx


def squared_error(model: nnx.Module, x: jax.Array, y: jax.Array, weight: float):
    error = weight * (model(x) - y) ** 2
    return jnp.mean(error), {"largest": jnp.max(error)}


def train(model: nnx.Module, optimizer: nnx.Optimizer, batches, weight: float):
    def grad_fn(model, x, y, weight):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        @nnx.grad(has_aux=True)
        def grad_fn_of_state(params, nondiff, x, y, weight):
            model = nnx.merge(graphdef, params, nondiff)
            result = squared_error(model, x, y, weight)
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return result

        return grad_fn_of_state(params, nondiff, x, y, weight)

    def step(model, x, y):
        grads, metrics = grad_fn(model, x, y, weight)
        optimizer.update(model, grads)
        return metrics["largest"]

    return [step(model, x, y) for x, y in batches]


def train_on(model: nnx.Module, optimizer: nnx.Optimizer, x: jax.Array):
    def value_and_grad(m):
        graphdef, params, nondiff = nnx.split(m, nnx.Param, ...)

        @nnx.value_and_grad
        def value_and_grad_of_state(params, nondiff):
            m = nnx.merge(graphdef, params, nondiff)
            loss = jnp.mean((m(x) - x) ** 2)
            if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("m must keep its structure")
            return loss

        return value_and_grad_of_state(params, nondiff)

    def step():
        value, grads = value_and_grad(model)
        optimizer.update(model, grads)
        return value

    return [step() for _ in range(2)]
