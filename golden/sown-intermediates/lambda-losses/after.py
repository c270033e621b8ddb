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
        return jnp.mean(model(x) ** 2), nnx.clone(nnx.pop(model, nnx.Intermediate))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads, sown = nnx.grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(model, sown)
    hidden = nnx.pop(model, nnx.Intermediate)
    return grads, hidden


def with_output(model: Net, x: jax.Array):
    def loss_fn(params, nondiff, x):
        m = nnx.merge(graphdef, params, nondiff)
        return jnp.sum(m(x) ** 2), (jnp.max(x), nnx.clone(nnx.pop(m, nnx.Intermediate)))

    grad_fn = nnx.value_and_grad(loss_fn, has_aux=True)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, (largest, sown)), grads = grad_fn(params, nondiff, x)
    nnx.update(model, sown)
    return loss, largest, grads, nnx.pop(model, nnx.Intermediate)


def twice(model: Net, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y = model(model(x))
        return jnp.mean(jnp.abs(model(y))), nnx.clone(nnx.pop(model, nnx.Intermediate))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    nnx.update(model, sown)
    return loss, grads, nnx.pop(model, nnx.Intermediate)


def train(model: Net, optimizer: nnx.Optimizer, batches):
    history = []
    for x in batches:
        def loss_fn(params, nondiff):
            m = nnx.merge(graphdef, params, nondiff)
            return jnp.mean(m(x)) + jnp.mean(m(m(-x))), nnx.clone(nnx.pop(m, nnx.Intermediate))

        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        (loss, sown), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
        nnx.update(model, sown)
        optimizer.update(model, grads)
        history.append((loss, nnx.pop(model, nnx.Intermediate)["hidden"]))
    return history


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = train(model, optimizer, [x, x + 1])
    return gradient(model, x), with_output(model, x), twice(model, x), history, model, optimizer
