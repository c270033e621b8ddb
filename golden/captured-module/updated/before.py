"""Loops that update what they capture: an error in both modes, until it is carried."""

import jax
import jax.numpy as jnp
import optax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        return self.drop(self.norm(self.linear(x)))

    def counted(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


def forward(model: Net, x: jax.Array):
    def body(carry):
        i, x = carry
        return i + 1, model(x)

    i, x = nnx.while_loop(lambda carry: carry[0] < 3, body, (0, x))
    return i, x


def until(model: Net, x: jax.Array):
    """The condition sees what the body counts."""
    return nnx.while_loop(lambda x: model.calls[...] < 4, lambda x: model.counted(x), x)


def both_names(model: Net, x: jax.Array):
    norm = model.norm

    def body(i, x):
        # the same object under two names
        return norm(model.linear(x))

    return nnx.fori_loop(0, 3, body, x)


def noise(rngs: nnx.Rngs, x: jax.Array):
    return nnx.fori_loop(0, 3, lambda i, x: x + jax.random.normal(rngs.noise(), x.shape), x)


def noisy(model: Net, rngs: nnx.Rngs, x: jax.Array):
    linear = model.linear

    def body(i, x):
        return linear(x) + rngs.noise.normal(x.shape)

    return nnx.fori_loop(0, 3, body, x)


def train(model: Net, x: jax.Array):
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    losses = nnx.metrics.Average()

    def body(i, total):
        def loss_fn(model):
            return jnp.mean((model.linear(x) - x) ** 2)

        loss, grads = nnx.value_and_grad(loss_fn)(model)
        optimizer.update(model, grads)
        losses.update(values=loss)
        return total + loss

    total = nnx.fori_loop(0, 3, body, jnp.array(0.0))
    return total, losses.compute(), optimizer.step[...]
