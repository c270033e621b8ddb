"""Losses that are lambdas, and models that are called on what they give."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.drop(self.linear(x))
        self.sow(nnx.Intermediate, "hidden", y)
        return nnx.relu(y)


def gradient(model: Net, x: jax.Array):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        return jnp.mean(y ** 2), intermediates

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads, hidden = nnx.grad(loss_fn, has_aux=True)(params, nondiff)
    return grads, hidden


def with_output(model: Net, x: jax.Array):
    def loss_fn(params, nondiff, x):
        m = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(m, nnx.Intermediate)(x)
        return jnp.sum(y ** 2), (jnp.max(x), intermediates)

    grad_fn = nnx.value_and_grad(loss_fn, has_aux=True)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, (largest, intermediates)), grads = grad_fn(params, nondiff, x)
    return loss, largest, grads, intermediates


def twice(model: Net, x: jax.Array):
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        model_y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        y, intermediates = nnx.capture(model, nnx.Intermediate, init=intermediates)(model_y)
        model_y, intermediates = nnx.capture(model, nnx.Intermediate, init=intermediates)(y)
        return jnp.mean(jnp.abs(model_y)), intermediates

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    return loss, grads, intermediates


def train(model: Net, optimizer: nnx.Optimizer, batches):
    history = []
    for x in batches:
        def loss_fn(params, nondiff):
            m = nnx.merge(graphdef, params, nondiff)
            y, intermediates = nnx.capture(m, nnx.Intermediate)(x)
            y2, intermediates = nnx.capture(m, nnx.Intermediate, init=intermediates)(-x)
            y3, intermediates = nnx.capture(m, nnx.Intermediate, init=intermediates)(y2)
            return jnp.mean(y) + jnp.mean(y3), intermediates

        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
        optimizer.update(model, grads)
        history.append((loss, intermediates["hidden"]))
    return history


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = train(model, optimizer, [x, x + 1])
    return gradient(model, x), with_output(model, x), twice(model, x), history, model, optimizer
