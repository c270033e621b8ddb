"""Jitted steps that hand their objects to code that is not in sight, and so may change them."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x: jax.Array) -> jax.Array:
        return self.norm(self.linear(x))


def make_train_step(fit: Callable[..., jax.Array]):
    @nnx.jit
    def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array) -> jax.Array:
        """One step of whatever fits the model."""
        before = nnx.split((model, optimizer))
        result = fit(model, optimizer, x)
        if nnx.split((model, optimizer)) != before:
            raise ValueError("model and optimizer must keep their structure")
        return result

    return train_step


def make_eval_step(measure: Callable[..., jax.Array]):
    @nnx.jit
    def eval_step(model: Net, metric: nnx.metrics.Average, x: jax.Array):
        model_before = nnx.split(model)
        y = model(x)
        metric.update(values=measure(model, y))
        if nnx.split(model) != model_before:
            raise ValueError("model must keep its structure")

    return eval_step


def make_spread(look: Callable[..., jax.Array]):
    def spread(model: Net, x: jax.Array) -> jax.Array:
        model_before = nnx.split(model)
        result = jnp.max(look(model, x)) - jnp.min(look(model, x))
        if nnx.split(model) != model_before:
            raise ValueError("model must keep its structure")
        return result

    return nnx.jit(spread)


def make_report(look: Callable[..., jax.Array]):
    @nnx.compat.jit
    @nnx.set_graph_mode(True)
    @nnx.set_graph_updates(True)
    def report(model: Net, x: jax.Array) -> jax.Array:
        if x.ndim == 1:  # the check would have to stand twice
            return look(model, x[None])
        return look(model, x)

    return report


def make_marked(look: Callable[..., jax.Array]):
    @nnx.compat.jit
    @nnx.set_graph_mode(True)
    @nnx.set_graph_updates(True)
    def marked(model: Net, x: jax.Array) -> jax.Array:
        model.seen = x.shape[0]
        return look(model, x)

    return marked


def make_each(look: Callable[..., jax.Array]):
    @nnx.compat.vmap(in_axes=(0, None))
    @nnx.set_graph_mode(True)
    @nnx.set_graph_updates(True)
    def each(model: nnx.Linear, x: jax.Array) -> jax.Array:
        return look(model, x)

    return each


def make_mean(look: Callable[..., jax.Array]):
    @nnx.jit
    def mean(model: Net, x: jax.Array) -> jax.Array:
        before = nnx.split(model)
        seen = jnp.mean(look(model, x))
        if nnx.split(model) != before:
            raise ValueError("look must not change the model")
        return seen

    return mean
