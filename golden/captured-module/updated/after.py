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
        i, x, model = carry
        return i + 1, model(x), model

    i, x, _ = nnx.while_loop(lambda carry: carry[0] < 3, body, (0, x, model))
    return i, x


def until(model: Net, x: jax.Array):
    """The condition sees what the body counts."""

    def body(carry):
        x, model = carry
        return model.counted(x), model

    return nnx.while_loop(lambda carry: carry[1].calls[...] < 4, body, (x, model))[0]


def both_names(model: Net, x: jax.Array):
    norm = model.norm

    def body(i, carry):
        x, model = carry
        norm = model.norm
        # the same object under two names
        return norm(model.linear(x)), model

    return nnx.fori_loop(0, 3, body, (x, model))[0]


def noise(rngs: nnx.Rngs, x: jax.Array):
    def body(i, carry):
        x, rngs = carry
        return x + jax.random.normal(rngs.noise(), x.shape), rngs

    return nnx.fori_loop(0, 3, body, (x, rngs))[0]


def noisy(model: Net, rngs: nnx.Rngs, x: jax.Array):
    linear = model.linear

    def body(i, carry):
        x, linear, rngs = carry
        return linear(x) + rngs.noise.normal(x.shape), linear, rngs

    return nnx.fori_loop(0, 3, body, (x, linear, rngs))[0]


def train(model: Net, x: jax.Array):
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    losses = nnx.metrics.Average()

    def body(i, carry):
        total, losses, model, optimizer = carry

        def loss_fn(params, nondiff):
            model = nnx.merge(graphdef, params, nondiff)
            return jnp.mean((model.linear(x) - x) ** 2)

        graphdef, params, nondiff = nnx.split(model, nnx.Param, ...)
        loss, grads = nnx.value_and_grad(loss_fn)(params, nondiff)
        optimizer.update(model, grads)
        losses.update(values=loss)
        return total + loss, losses, model, optimizer

    total, _, _, _ = nnx.fori_loop(0, 3, body, (jnp.array(0.0), losses, model, optimizer))
    return total, losses.compute(), optimizer.step[...]
