"""Activations of the forward pass in the loss, popped next to the gradient."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = nnx.List([nnx.Linear(2, 2, rngs=rngs) for _ in range(2)])
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        for layer in self.layers:
            x = nnx.relu(layer(x))
            self.sow(nnx.Intermediate, "hidden", x)
        return self.drop(self.norm(x))

    def logits(self, x: jax.Array):
        return self(x) * 2


@nnx.jit
def train_step(model: Net, optimizer: nnx.Optimizer, x: jax.Array):
    def loss_fn(model):
        return jnp.mean((model(x) - 1.0) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)
    optimizer.update(model, grads)
    intermediates = nnx.pop(model, nnx.Intermediate)
    return loss, intermediates["hidden"]


def losses(model: Net, x: jax.Array):
    def loss_fn(model: Net):
        """Loss and logits."""
        logits = model.logits(x)
        return jnp.mean(logits**2), logits

    (loss, logits), grads = nnx.value_and_grad(loss_fn, has_aux=True)(model)
    sown = nnx.to_pure_dict(nnx.pop(model, nnx.Intermediate))

    def size(model: Net):
        y = model(x)
        return jnp.sum(y) + jnp.sum(model.layers[0].kernel[...] ** 2)

    size_grads = nnx.grad(size)(model)
    hidden = nnx.pop(model, nnx.Intermediate)["hidden"]
    return loss, logits, sown, hidden, jax.tree.leaves((grads, size_grads))


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = [train_step(model, optimizer, x + i) for i in range(2)]
    return history, losses(model, x), model, optimizer
