"""Training steps as pure functions of state: the sources that mutants are made of.

Each `..._step` takes a graphdef with its state, and a batch; it returns outputs and the new state.
"""

from __future__ import annotations

import importlib
from typing import Any

import jax
import jax.numpy as jnp
from flax import nnx

optax: Any = importlib.import_module("optax")  # it has no types


def split(model: Any) -> Any:
    """With arrays for Variables, which belong to no trace."""
    graphdef, *states = nnx.split(model, nnx.Param, ...)
    return graphdef, *map(nnx.as_pure, states)


def others(model: Any) -> Any:
    return nnx.as_pure(nnx.state(model, nnx.Not(nnx.Param)))


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = nnx.Linear(3, 4, rngs=rngs)
        self.norm = nnx.BatchNorm(4, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.last = nnx.Linear(4, 2, rngs=rngs)

    def __call__(self, x: Any) -> Any:
        x = self.drop(nnx.relu(self.norm(self.first(x))))
        return self.last(x) * 2.0


def make(_: Any = None) -> Any:
    model = Net(nnx.Rngs(0))
    return model, nnx.Optimizer(model, optax.adam(1e-2, b1=0.8), wrt=nnx.Param)


def supervised_step(graphdef: Any, state: Any, x: Any, y: Any) -> Any:
    model, optimizer = nnx.merge(graphdef, state)
    inner, params, rest = split(model)

    def loss_fn(params: Any, rest: Any) -> Any:
        model = nnx.merge(inner, params, rest)
        out = model(x)
        loss = jnp.mean((out - y) ** 2) + 0.01 * jnp.sum(jnp.abs(out))
        return loss, (out, others(model))

    (loss, (out, rest)), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, rest)
    nnx.update(model, rest)
    optimizer.update(model, nnx.merge(inner, grads, rest))
    accuracy = jnp.mean(out.argmax(-1) == y.argmax(-1))
    return loss, accuracy, nnx.state((model, optimizer))


def accumulated_step(graphdef: Any, state: Any, x: Any, y: Any) -> Any:
    model, optimizer = nnx.merge(graphdef, state)
    inner, params, rest = split(model)

    def loss_fn(params: Any, rest: Any, one: Any, target: Any) -> Any:
        model = nnx.merge(inner, params, rest)
        loss = jnp.sum((model(one) - target) ** 2) * 0.5
        return loss, others(model)

    def body(carry: Any, pair: Any) -> Any:
        total, rest, count = carry
        (loss, rest), grads = jax.value_and_grad(loss_fn, has_aux=True)(params, rest, *pair)
        total = jax.tree.map(lambda t, g: t + g / 2, total, grads)
        return (total, rest, count + 1), loss

    zeros = jax.tree.map(jnp.zeros_like, params)
    batches = x.reshape(2, 2, 3), y.reshape(2, 2, 2)
    (total, rest, count), losses = jax.lax.scan(body, (zeros, rest, 0), batches)
    nnx.update(model, rest)
    optimizer.update(model, nnx.merge(inner, total, rest))
    return losses.mean(), count, nnx.state((model, optimizer))


def generated_step(graphdef: Any, state: Any, x: Any, y: Any) -> Any:
    model = nnx.merge(graphdef, state)[0]
    model.eval()
    inner, params, rest = split(model)

    def again(carry: Any) -> Any:
        step, _, sums = carry
        return (step < 4) & (jnp.sum(sums) < 10.0)

    def advance(carry: Any) -> Any:
        step, now, sums = carry
        model = nnx.merge(inner, params, rest)
        out = model(now)
        choice = jax.lax.cond(step > 1, lambda o: jnp.tanh(o), lambda o: o - 1.0, out)
        now = jnp.concatenate([choice, now[:, :1]], axis=1)
        return step + 1, now, sums + jnp.abs(out).mean(axis=1)

    step, now, sums = jax.lax.while_loop(again, advance, (0, x, jnp.zeros(4)))
    return step, now - jnp.max(y), sums
