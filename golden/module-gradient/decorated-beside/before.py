"""Losses under decorators, and where they are called."""

from functools import partial

import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.dropout(self.norm(self.linear(x)))


class Data:
    def __init__(self, x, y):
        self.x, self.y = x, y


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x, y):
    @nnx.value_and_grad
    def loss_fn(model, data):
        # The squares.
        error = model(data.x) - data.y
        return jnp.mean(error**2)

    loss, grads = loss_fn(model, Data(x, y))
    optimizer.update(model, grads)
    return loss


def two_losses(one: Net, other: Net, x, steps: int):
    """Each with a model of its own, in a loop."""

    @nnx.grad
    def pull(model):
        return jnp.mean((model(x) - 1.0) ** 2)

    @partial(nnx.value_and_grad, has_aux=True)
    def push(model: Net, scale: float = 2.0):
        y = model(x)
        return scale * jnp.mean(y**2), y

    found = []
    for step in range(steps):
        found.append(pull(one))
        if step % 2:
            found.append(push(other, 0.5))
        else:
            (loss, _), grads = push(other)
            found.append((loss, grads))
    return found


def one_loss_for_two(one: Net, other: Net, x):
    @nnx.grad
    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    first = loss_fn(one)
    second = loss_fn(other)
    return first, second


def in_one_statement(one: Net, other: Net, x):
    @nnx.grad
    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    return loss_fn(one), loss_fn(other)


def by_keyword(model: Net, x):
    @nnx.grad
    def loss_fn(model, x, scale):
        return scale * jnp.mean(model(x) ** 2)

    return loss_fn(scale=2.0, x=x, model=model)


def called_further_in(model: Net, x):
    @nnx.grad
    def loss_fn(model, x):
        return jnp.mean(model(x) ** 2)

    def again(factor):
        return loss_fn(model, factor * x)

    return [again(1.0), again(2.0)]


def handed_on(model: Net, x):
    @nnx.grad
    def loss_fn(model, x):
        return jnp.mean(model(x) ** 2)

    losses = [loss_fn]
    return losses[0](model, x)


def under_a_condition(model: Net, x):
    @nnx.grad
    def loss_fn(model, x):
        return jnp.mean(model(x) ** 2)

    return loss_fn(model, x) if x.sum() > 0 else loss_fn(model, -x)


def second_argument(model: Net, x):
    @nnx.grad(argnums=1)
    def loss_fn(x, model, y):
        return jnp.mean((model(x) - y) ** 2)

    return loss_fn(x, model, 1.0)


def names_in_use(model: Net, x):
    graphdef, params = "names", "in use"

    @nnx.grad
    def loss_fn(model):
        nondiff = model(x)
        return jnp.mean(nondiff**2)

    return loss_fn(model), graphdef, params
