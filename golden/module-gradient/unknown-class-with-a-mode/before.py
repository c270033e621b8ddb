"""Checks of gradients, for whatever model the caller brings."""

import jax
import jax.numpy as jnp
from flax import nnx


def norm_of_gradients(model, x: jax.Array):
    """Training comes first, whatever was set before."""
    model.train()

    def loss_fn(model):
        return jnp.mean(model(x) ** 2)

    grads = nnx.grad(loss_fn)(model)
    return sum(jnp.sum(each**2) for each in jax.tree.leaves(nnx.state(grads)))


def loss_and_output(model, x: jax.Array):
    loss, grads = nnx.value_and_grad(lambda m: jnp.mean(m(x) ** 2))(model)
    model.eval()
    return loss, model(x), jax.tree.leaves(nnx.state(grads))


def gradients_of(model, x: jax.Array, train: bool):
    if train:
        model.train()
    grads = nnx.grad(lambda m: jnp.mean(m(x) ** 2))(model)
    return jax.tree.leaves(nnx.state(grads))


@nnx.jit
def gradients_in_step(model, x: jax.Array):
    grads = nnx.grad(lambda m: jnp.mean(m(x) ** 2))(model)
    return jax.tree.leaves(nnx.state(grads))


def gradients_twice(model, x: jax.Array):
    model.train()
    return gradients_in_step(model, x), again(model, x)


def again(model, x: jax.Array):
    return gradients_in_step(model, x)
