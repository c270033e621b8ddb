"""Steps that are given a model beside the ModelAndOptimizer that was made of it."""

import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 1, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))


def compute_loss(model, x, y):
    logits = model(x)
    return jnp.mean((logits - y) ** 2), logits


@nnx.jit
def train_step(optimizer: nnx.ModelAndOptimizer, x, y):
    """One step.

    Args:
        optimizer (nnx.ModelAndOptimizer): holds it, too.
        x: inputs.
        y: what they should give.
    """
    model: Net = optimizer.model

    def compute_loss_of_state(params, nondiff, x, y):
        return compute_loss(nnx.merge(graphdef, params, nondiff), x, y)

    grad_fn = nnx.value_and_grad(compute_loss_of_state, has_aux=True)
    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, logits), grads = grad_fn(params, nondiff, x, y)
    optimizer.update(grads)
    return loss


@nnx.jit
def other_step(
    optimizer,
    x,
):
    model = optimizer.model
    return model(x)


def main(x, y):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.ModelAndOptimizer(model, optax.sgd(0.1))
    seen = []
    for _ in range(2):
        loss = train_step(optimizer, x, y)
        seen.append((other_step(optimizer, x), loss))
    return seen, model, optimizer
