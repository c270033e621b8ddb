"""Losses of any Module: each ends in another way, and some cannot look at their Module there."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


@nnx.jit
def with_a_name(model: nnx.Module, x: jax.Array):
    def loss_fn(model_params: nnx.State, model_nondiff: nnx.State) -> jax.Array:
        """The mean of what it computes."""
        m = nnx.merge(model_graphdef, model_params, model_nondiff)
        params = m(x)
        loss = params.mean()  # over all that it computes
        if nnx.split(m, nnx.Param, ...) != (model_graphdef, model_params, model_nondiff):
            raise ValueError("m must keep its structure")
        return loss

    model_graphdef, model_params, model_nondiff = nnx.split(model, nnx.Param, ...)
    return nnx.value_and_grad(loss_fn)(model_params, model_nondiff)


def named_result(model: nnx.Module, x: jax.Array):
    def loss_fn(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        value = jnp.mean(m(x))
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return value

    grad_fn = nnx.value_and_grad(loss_fn)
    losses = []
    for scale in (1.0, 2.0):
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        loss, grads = grad_fn(params, nondiff)
        losses.append(scale * loss)
    return losses, grads


def bound_anew(model: nnx.Module, x: jax.Array):
    def loss_fn(m):
        m = m.layers if x is None else m(x)
        return jnp.mean(m)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = loss_fn(m)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    return nnx.grad(loss_fn_of_state)(params, nondiff)


def ends_twice(model: nnx.Module, x: jax.Array, early: bool):
    def loss_fn(m):
        if early:
            return jnp.sum(m(x))
        return jnp.mean(m(x))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = loss_fn(m)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    return nnx.grad(loss_fn_of_state)(params, nondiff)


def on_one_line(model: nnx.Module, x: jax.Array):
    def loss_fn(m): return jnp.mean(m(x))

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = loss_fn(m)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    return nnx.grad(loss_fn_of_state)(params, nondiff)


def with_more_arguments(model: nnx.Module, weigh: Callable, observations, advantages, old_values):
    def loss_fn(params, nondiff, observations, advantages, old_values, clip):
        m = nnx.merge(graphdef, params, nondiff)
        error = m(observations) - old_values
        loss = jnp.mean(weigh(jnp.clip(error, -clip, clip)) * advantages)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(
        params,
        nondiff,
        observations,
        advantages * weigh(advantages),
        jnp.tanh(2 * old_values + 1),
        0.5,
    )
    return loss, grads
