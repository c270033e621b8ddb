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
    grads = nnx.grad(lambda model: jnp.mean(model(x) ** 2))(model)
    hidden = nnx.pop(model, nnx.Intermediate)
    return grads, hidden


def with_output(model: Net, x: jax.Array):
    grad_fn = nnx.value_and_grad(lambda m, x: (jnp.sum(m(x) ** 2), jnp.max(x)), has_aux=True)
    (loss, largest), grads = grad_fn(model, x)
    return loss, largest, grads, nnx.pop(model, nnx.Intermediate)


def twice(model: Net, x: jax.Array):
    def loss_fn(model: Net):
        y = model(model(x))
        return jnp.mean(jnp.abs(model(y)))

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    return loss, grads, nnx.pop(model, nnx.Intermediate)


def train(model: Net, optimizer: nnx.Optimizer, batches):
    history = []
    for x in batches:
        loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(x)) + jnp.mean(m(m(-x))))(model)
        optimizer.update(model, grads)
        history.append((loss, nnx.pop(model, nnx.Intermediate)["hidden"]))
    return history


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = train(model, optimizer, [x, x + 1])
    return gradient(model, x), with_output(model, x), twice(model, x), history, model, optimizer
