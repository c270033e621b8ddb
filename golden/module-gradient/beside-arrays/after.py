"""Gradients of a model and of arrays and States beside it."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))


def penalty(model: Net, scale: jax.Array, x: jax.Array):
    return jnp.mean(scale * model(x) ** 2)


def scaled(model: Net, scale: jax.Array, x: jax.Array):
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    @nnx.value_and_grad(argnums=(1, 0))
    def scaled_of_state(params, scale, nondiff, x):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.sum(scale * model(x))

    return scaled_of_state(params, scale, nondiff, x)


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    scale = jnp.full((), 2.0)

    def loss_fn(params: nnx.State, x, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.sum(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    loss, (grads, input_grads) = nnx.value_and_grad(loss_fn, argnums=(0, 1))(params, x, nondiff)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def penalty_of_state(params, scale, nondiff, x):
        return penalty(nnx.merge(graphdef, params, nondiff), scale, x)

    model_grads, scale_grad = nnx.grad(penalty_of_state, argnums=(0, 1))(params, scale, nondiff, x)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)

    def loss_fn_of_state(scale, params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.sum(scale * model(x))

    other = nnx.grad(loss_fn_of_state, argnums=(0, 1))(scale, params, nondiff)

    def distance(shift, params: nnx.State, x, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.sum((model(x) + shift["by"]) ** 2)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    shifted = nnx.grad(distance, argnums=(0, 2, 1))({"by": scale}, params, x, nondiff)
    found = [loss, grads, input_grads, model_grads, scale_grad, other, shifted]
    return found, scaled(model, scale, x), model
