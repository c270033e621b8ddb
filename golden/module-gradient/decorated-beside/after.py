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
    def loss_fn(params, nondiff, data):
        model = nnx.merge(graphdef, params, nondiff)
        # The squares.
        error = model(data.x) - data.y
        return jnp.mean(error**2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = loss_fn(params, nondiff, Data(x, y))
    optimizer.update(model, grads)
    return loss


def two_losses(one: Net, other: Net, x, steps: int):
    """Each with a model of its own, in a loop."""

    @nnx.grad
    def pull(one_params, one_nondiff):
        model = nnx.merge(one_graphdef, one_params, one_nondiff)
        return jnp.mean((model(x) - 1.0) ** 2)

    @partial(nnx.value_and_grad, has_aux=True)
    def push(other_params: nnx.State, other_nondiff: nnx.State, scale: float = 2.0):
        model = nnx.merge(other_graphdef, other_params, other_nondiff)
        y = model(x)
        return scale * jnp.mean(y**2), y

    found = []
    for step in range(steps):
        one_graphdef, one_params, one_nondiff = nnx.split(one, nnx.Param, ...)
        found.append(pull(one_params, one_nondiff))
        if step % 2:
            other_graphdef, other_params, other_nondiff = nnx.split(other, nnx.Param, ...)
            found.append(push(other_params, other_nondiff, 0.5))
        else:
            other_graphdef, other_params, other_nondiff = nnx.split(other, nnx.Param, ...)
            (loss, _), grads = push(other_params, other_nondiff)
            found.append((loss, grads))
    return found


def one_loss_for_two(one: Net, other: Net, x):
    @nnx.grad
    def loss_fn(model_params, model_nondiff):
        model = nnx.merge(model_graphdef, model_params, model_nondiff)
        return jnp.mean(model(x) ** 2)

    model_graphdef, model_params, model_nondiff = nnx.split(one, nnx.Param, ...)
    first = loss_fn(model_params, model_nondiff)
    model_graphdef, model_params, model_nondiff = nnx.split(other, nnx.Param, ...)
    second = loss_fn(model_params, model_nondiff)
    return first, second


def in_one_statement(one: Net, other: Net, x):
    def loss_fn(model):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        @nnx.grad
        def loss_fn_of_state(params, nondiff):
            model = nnx.merge(graphdef, params, nondiff)
            return jnp.mean(model(x) ** 2)

        return loss_fn_of_state(params, nondiff)

    return loss_fn(one), loss_fn(other)


def by_keyword(model: Net, x):
    @nnx.grad
    def loss_fn(params, nondiff, x, scale):
        model = nnx.merge(graphdef, params, nondiff)
        return scale * jnp.mean(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return loss_fn(params, nondiff, scale=2.0, x=x)


def called_further_in(model: Net, x):
    def loss_fn(model, x):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        @nnx.grad
        def loss_fn_of_state(params, nondiff, x):
            model = nnx.merge(graphdef, params, nondiff)
            return jnp.mean(model(x) ** 2)

        return loss_fn_of_state(params, nondiff, x)

    def again(factor):
        return loss_fn(model, factor * x)

    return [again(1.0), again(2.0)]


def handed_on(model: Net, x):
    def loss_fn(model, x):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        @nnx.grad
        def loss_fn_of_state(params, nondiff, x):
            model = nnx.merge(graphdef, params, nondiff)
            return jnp.mean(model(x) ** 2)

        return loss_fn_of_state(params, nondiff, x)

    losses = [loss_fn]
    return losses[0](model, x)


def under_a_condition(model: Net, x):
    def loss_fn(model, x):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        @nnx.grad
        def loss_fn_of_state(params, nondiff, x):
            model = nnx.merge(graphdef, params, nondiff)
            return jnp.mean(model(x) ** 2)

        return loss_fn_of_state(params, nondiff, x)

    return loss_fn(model, x) if x.sum() > 0 else loss_fn(model, -x)


def second_argument(model: Net, x):
    @nnx.grad(argnums=1)
    def loss_fn(x, params, nondiff, y):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean((model(x) - y) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    return loss_fn(x, params, nondiff, 1.0)


def names_in_use(model: Net, x):
    graphdef, params = "names", "in use"

    @nnx.grad
    def loss_fn(model_params, model_nondiff):
        model = nnx.merge(model_graphdef, model_params, model_nondiff)
        nondiff = model(x)
        return jnp.mean(nondiff**2)

    model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)
    return loss_fn(model_params, model_nondiff), graphdef, params
