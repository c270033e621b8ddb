"""Checks of gradients, for whatever model the caller brings."""

import jax
import jax.numpy as jnp
from flax import nnx


def norm_of_gradients(model, x: jax.Array):
    """Training comes first, whatever was set before."""
    model.train()

    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        loss = jnp.mean(model(x) ** 2)
        if nnx.split(model, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("model must keep its structure")
        return loss

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    grads = nnx.grad(loss_fn)(params, nondiff)
    return sum(jnp.sum(each**2) for each in jax.tree.leaves(nnx.state(grads)))


def loss_and_output(model, x: jax.Array):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = jnp.mean(m(x) ** 2)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    loss, grads = nnx.value_and_grad(loss_of_state)(params, nondiff)
    model.eval()
    return loss, model(x), jax.tree.leaves(nnx.state(grads))


def gradients_of(model, x: jax.Array, train: bool):
    if train:
        model.train()
    grads = nnx.compat.grad(
        nnx.set_graph_mode(True)(nnx.set_graph_updates(True)(lambda m: jnp.mean(m(x) ** 2)))
    )(model)
    return jax.tree.leaves(nnx.state(grads))


@nnx.jit
def gradients_in_step(model, x: jax.Array):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_of_state(params, nondiff):
        m = nnx.merge(graphdef, params, nondiff)
        loss = jnp.mean(m(x) ** 2)
        if nnx.split(m, nnx.Param, ...) != (graphdef, params, nondiff):
            raise ValueError("m must keep its structure")
        return loss

    grads = nnx.grad(loss_of_state)(params, nondiff)
    return jax.tree.leaves(nnx.state(grads))


def gradients_twice(model, x: jax.Array):
    model.train()
    return gradients_in_step(model, x), again(model, x)


def again(model, x: jax.Array):
    return gradients_in_step(model, x)
