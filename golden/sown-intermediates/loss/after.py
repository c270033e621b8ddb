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
    def loss_fn(params, nondiff):
        model = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        return jnp.mean((y - 1.0) ** 2), intermediates

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, intermediates), grads = nnx.value_and_grad(loss_fn, has_aux=True)(params, nondiff)
    optimizer.update(model, grads)
    return loss, intermediates["hidden"]


def losses(model: Net, x: jax.Array):
    def loss_fn(params: nnx.State, nondiff: nnx.State):
        """Loss and logits."""
        model = nnx.merge(graphdef, params, nondiff)
        logits, intermediates = nnx.capture(model.logits, nnx.Intermediate)(x)
        return jnp.mean(logits**2), (logits, intermediates)

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    (loss, (logits, intermediates)), grads = nnx.value_and_grad(loss_fn, has_aux=True)(
        params, nondiff
    )
    sown = nnx.to_pure_dict(intermediates)

    def size(params: nnx.State, nondiff: nnx.State):
        model = nnx.merge(graphdef, params, nondiff)
        y, intermediates = nnx.capture(model, nnx.Intermediate)(x)
        return jnp.sum(y) + jnp.sum(model.layers[0].kernel[...] ** 2), intermediates

    graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
    size_grads, intermediates = nnx.grad(size, has_aux=True)(params, nondiff)
    hidden = intermediates["hidden"]
    return loss, logits, sown, hidden, jax.tree.leaves((grads, size_grads))


def run(x: jax.Array):
    model = Net(nnx.Rngs(0))
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    history = [train_step(model, optimizer, x + i) for i in range(2)]
    return history, losses(model, x), model, optimizer
