"""Losses of any Module: each ends in another way, and some cannot look at their Module there."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


@nnx.jit
def with_a_name(model: nnx.Module, x: jax.Array):
    def loss_fn(m: nnx.Module) -> jax.Array:
        """The mean of what it computes."""
        params = m(x)
        return params.mean()  # over all that it computes

    return nnx.value_and_grad(loss_fn)(model)


def named_result(model: nnx.Module, x: jax.Array):
    def loss_fn(m):
        value = jnp.mean(m(x))
        return value

    grad_fn = nnx.value_and_grad(loss_fn)
    losses = []
    for scale in (1.0, 2.0):
        loss, grads = grad_fn(model)
        losses.append(scale * loss)
    return losses, grads


def bound_anew(model: nnx.Module, x: jax.Array):
    def loss_fn(m):
        m = m.layers if x is None else m(x)
        return jnp.mean(m)

    return nnx.grad(loss_fn)(model)


def ends_twice(model: nnx.Module, x: jax.Array, early: bool):
    def loss_fn(m):
        if early:
            return jnp.sum(m(x))
        return jnp.mean(m(x))

    return nnx.grad(loss_fn)(model)


def on_one_line(model: nnx.Module, x: jax.Array):
    def loss_fn(m): return jnp.mean(m(x))

    return nnx.grad(loss_fn)(model)


def with_more_arguments(model: nnx.Module, weigh: Callable, observations, advantages, old_values):
    def loss_fn(m, observations, advantages, old_values, clip):
        error = m(observations) - old_values
        return jnp.mean(weigh(jnp.clip(error, -clip, clip)) * advantages)

    loss, grads = nnx.value_and_grad(loss_fn)(
        model, observations, advantages * weigh(advantages), jnp.tanh(2 * old_values + 1), 0.5
    )
    return loss, grads
