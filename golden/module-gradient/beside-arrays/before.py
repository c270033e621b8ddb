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


@nnx.value_and_grad(argnums=(1, 0))
def scaled(model: Net, scale: jax.Array, x: jax.Array):
    return jnp.sum(scale * model(x))


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    scale = jnp.full((), 2.0)

    def loss_fn(model: Net, x):
        return jnp.sum(model(x) ** 2)

    loss, (grads, input_grads) = nnx.value_and_grad(loss_fn, argnums=(0, 1))(model, x)
    model_grads, scale_grad = nnx.grad(penalty, argnums=(0, 1))(model, scale, x)
    other = nnx.grad(lambda scale, model: jnp.sum(scale * model(x)), argnums=(0, 1))(scale, model)

    def distance(shift, model: Net, x):
        return jnp.sum((model(x) + shift["by"]) ** 2)

    shifted = nnx.grad(distance, argnums=(0, 2, 1))({"by": scale}, model, x)
    found = [loss, grads, input_grads, model_grads, scale_grad, other, shifted]
    return found, scaled(model, scale, x), model
