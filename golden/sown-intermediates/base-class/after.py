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
@nnx.capture(Hidden)
def forward(model: Net, x: jax.Array):
    return model(x)


def by_base(model: Net, x):
    y, hiddens = forward(model, x)
    return y, hiddens


def twice(model: Net, x):
    @nnx.jit
    def scaled(model: Net, hiddens: nnx.State, x: jax.Array):
        y, new_hiddens = nnx.capture(model, Hidden, init=hiddens)(x)
        return y * 2.0, new_hiddens

    sown = nnx.State({})
    first, sown = scaled(model, sown, x)
    second, sown = scaled(model, sown, x + 1)
    return first, second, sown["hidden"][1], sown


def by_name(x):
    model = Net(nnx.Rngs(1))
    loss, model_hiddens = nnx.jit(nnx.capture(lambda model, x: jnp.sum(model(x)), Hidden))(model, x)
    return loss, model_hiddens["hidden"][0]


def run(x):
    model = Net(nnx.Rngs(0))
    return by_base(model, x), twice(model, x), by_name(x), model
