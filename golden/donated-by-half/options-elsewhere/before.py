"""Options of jit that are kept in one place."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx

DONATED = ("model",)
OPTIONS = {"donate_argnames": DONATED}
donating_jit = functools.partial(nnx.jit, donate_argnames="model")


class Adapted(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.base = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.base(x)


@nnx.jit(**OPTIONS)
def first(model: Adapted, x: jax.Array):
    return model(x)


@donating_jit
def second(model: Adapted, x: jax.Array):
    return model(x)


@nnx.jit(donate_argnames=DONATED)
def third(model: Adapted, x: jax.Array):
    return model(x)


def _scaled(scale: float, model: Adapted, x: jax.Array):
    return scale * model(x)


fourth = nnx.jit(functools.partial(_scaled, 2.0), donate_argnames=DONATED)


def run(model: Adapted, x: jax.Array):
    return [step(model, x) for step in (first, second, third, fourth)]
