"""A model and its optimizer that one function makes, both donated to the step."""

import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 1, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)


@nnx.jit(static_argnames="scale", donate_argnames=("model", "optimizer"))
def train_step(model, optimizer, x, y, scale):
    def loss_fn(model):
        return jnp.mean((model(x) - scale * y) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(grads)
    return loss


@nnx.jit(static_argnums=(3,), donate_argnums=(0, 1))
def other_step(optimizer, model, x, scale):
    optimizer.update(nnx.grad(lambda model: scale * jnp.mean(model(x)))(model))


def make(seed):
    model = Net(nnx.Rngs(seed))
    optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))
    return model, optimizer


def main(x, y):
    model, optimizer = make(0)
    losses = []
    for _ in range(2):
        losses.append(train_step(model, optimizer, x, y, scale=1))
        other_step(optimizer, model, x, 2)
    return losses, model, optimizer
