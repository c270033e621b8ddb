"""Losses and models that a function binds by the same names, one after the other."""

import jax.numpy as jnp
import optax
from flax import nnx


class Plain(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 1, rngs=rngs)


class Noisy(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 1, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)


def one_after_the_other(x):
    def loss_fn(model):
        return jnp.mean(model.linear(x) ** 2)

    model = Plain(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    optimizer.update(model, nnx.grad(loss_fn)(model))
    first = model.linear.kernel[...]

    def loss_fn(model):
        return jnp.mean(model.drop(model.linear(x)) ** 2)

    model = Noisy(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(params, nondiff):
        return loss_fn(nnx.merge(graphdef, params, nondiff))

    optimizer.update(model, nnx.grad(loss_fn_of_state)(params, nondiff))
    return first, model.linear.kernel[...]


def in_branches(x, noisy):
    if noisy:
        model = Noisy(nnx.Rngs(0))
        loss_fn = lambda model: (jnp.mean(model.drop(model.linear(x))), model.drop.rngs.count[...])
        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

        def loss_fn_of_state(params, nondiff):
            return loss_fn(nnx.merge(graphdef, params, nondiff))

        grads, _ = nnx.grad(loss_fn_of_state, has_aux=True)(params, nondiff)
    else:
        model = Plain(nnx.Rngs(0))
        loss_fn = lambda model: jnp.mean(model.linear(x))

        @nnx.jit
        def gradient(model: Plain):
            return nnx.grad(loss_fn)(model).linear.kernel[...]

        return gradient(model)
    return grads.linear.kernel[...]


def main(x):
    return one_after_the_other(x), in_branches(x, True), in_branches(x, False)
