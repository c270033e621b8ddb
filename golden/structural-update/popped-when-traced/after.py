"""Steps of a library that pop what they have sown: nobody sees who calls them, and with what."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


class Balance(nnx.Variable):
    pass


class Experts(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.gate = nnx.Linear(2, 3, rngs=rngs)
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.3, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        weights = jax.nn.softmax(self.gate(x))
        self.sow(nnx.Intermediate, "weights", weights)
        self.sow(Balance, "balance", jnp.var(weights))
        return self.drop(self.linear(x) * weights)


@nnx.jit
def train_step(model: Experts, optimizer: nnx.Optimizer, x: jax.Array) -> jax.Array:
    def loss_fn(params: nnx.State, nondiff: nnx.State) -> jax.Array:
        model = nnx.merge(graphdef, params, nondiff)
        y = model(x)
        sown = nnx.pop(model, (Balance, nnx.Intermediate))
        loss = jnp.mean(y**2) + sum(jnp.mean(each) for each in jax.tree.leaves(sown))
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(model, grads)
    return loss


@nnx.jit
def evaluate(model: Experts, x: jax.Array) -> tuple[jax.Array, list[jax.Array]]:
    model_before = nnx.split(model)
    y = model(x)
    weights, balance = nnx.pop(model, nnx.Intermediate, Balance)
    result = y, jax.tree.leaves(weights) + jax.tree.leaves(balance)
    if nnx.split(model) != model_before:
        raise ValueError("model must keep its structure")
    return result


def make_step(weigh: Callable[..., jax.Array]):
    @nnx.jit
    def step(model: Experts, optimizer: nnx.Optimizer, x: jax.Array) -> jax.Array:
        @nnx.value_and_grad
        def loss(params: nnx.State, nondiff: nnx.State) -> jax.Array:
            model = nnx.merge(graphdef, params, nondiff)
            y = model(x)
            _, balance = nnx.pop(model, nnx.Intermediate, Balance)
            loss = weigh(y, jax.tree.leaves(balance))
            if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
                raise ValueError("model must keep its structure")
            return loss

        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        value, grads = loss(params, nondiff)
        optimizer.update(model, grads)
        return value

    return step
