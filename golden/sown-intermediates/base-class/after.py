"""Activations of a type of their own, popped by the class that it is made from."""

import jax
import jax.numpy as jnp
from flax import nnx


class Activation(nnx.Intermediate):
    pass


class Hidden(Activation):
    """A layer that is not the last one."""


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.drop(self.linear(x))
        self.sow(Hidden, "hidden", y)
        return y


@nnx.jit
def _forward_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, Hidden))


def forward(model: Net, x: jax.Array):
    result, sown = _forward_and_pop(model, x)
    nnx.update(model, sown)
    return result


def by_base(model: Net, x):
    y = forward(model, x)
    return y, nnx.pop(model, nnx.Intermediate)


def twice(model: Net, x):
    @nnx.jit
    def _scaled_and_pop(model: Net, x: jax.Array):
        return model(x) * 2.0, nnx.clone(nnx.pop(model, Hidden))

    def scaled(model: Net, x: jax.Array):
        result, sown = _scaled_and_pop(model, x)
        nnx.update(model, sown)
        return result

    first = scaled(model, x)
    second = scaled(model, x + 1)
    sown = nnx.pop(model, Activation)
    return first, second, sown["hidden"][1], sown


def by_name(x):
    model = Net(nnx.Rngs(1))

    def fn(model, x):
        return jnp.sum(model(x)), nnx.clone(nnx.pop(model, Hidden))

    loss, sown = nnx.jit(fn)(model, x)
    nnx.update(model, sown)
    return loss, model.hidden[0]


def run(x):
    model = Net(nnx.Rngs(0))
    return by_base(model, x), twice(model, x), by_name(x), model
