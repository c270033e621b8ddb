"""A step sets the mode of the model of an optimizer that is made anew where a run is resumed."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(3, 3, rngs=rngs)
        self.dropout = nnx.Dropout(0.5, rngs=nnx.Rngs(dropout=1))

    def __call__(self, x: jax.Array):
        return self.dropout(self.linear(x))


def restore(optimizer: nnx.ModelAndOptimizer):
    model = optimizer.model
    model.linear.bias[...] += 1.0
    return nnx.ModelAndOptimizer(model, optimizer.tx)


def restore_or_begin(optimizer: nnx.ModelAndOptimizer, resume: bool):
    if resume:
        optimizer = restore(optimizer)
    return optimizer


@nnx.jit
def train_step(optimizer: nnx.ModelAndOptimizer, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        return jnp.mean(model(x) ** 2)

    graphdef, params, nondiff = nnx.split(optimizer.model, nnx.Param, ...)
    loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
    optimizer.update(grads)
    return loss


def main(resume: bool):
    optimizer = nnx.ModelAndOptimizer(Net(nnx.Rngs(0)), optax.sgd(0.1))
    optimizer.model.eval()
    optimizer = restore_or_begin(optimizer, resume)
    losses = []
    for _ in range(2):
        optimizer.model.train()
        loss = train_step(optimizer, jnp.arange(6.0).reshape(2, 3))
        losses.append(loss)
    return losses, optimizer.model.dropout.deterministic, optimizer.model
