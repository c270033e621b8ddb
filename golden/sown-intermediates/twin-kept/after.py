"""Functions that sow, of which a private twin would not be called as they are."""

from functools import partial

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        x = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", x)
        return x


@nnx.compat.jit
def with_default(model: Net, x: jax.Array, turns: int = 2):
    for _ in range(turns):  # no value of a trace when it is left out
        x = model(x)
    return x


@partial(nnx.compat.jit, static_argnums=(2,))
def static_by_number(model: Net, x: jax.Array, turns):
    for _ in range(turns):
        x = model(x)
    return x


@partial(nnx.compat.jit, donate_argnames=("x",))
def donating(model: Net, x: jax.Array):
    return model(x)


@nnx.compat.jit
def without_result(model: Net, x: jax.Array):
    model(x)


@nnx.jit
def _second_and_pop(x: jax.Array, model: Net):
    return model(x), nnx.clone(nnx.pop(model, nnx.Intermediate))


def second(x: jax.Array, model: Net):
    result, sown = _second_and_pop(x, model)
    nnx.update(model, sown)
    return result


@nnx.compat.jit
def lowered(model: Net, x: jax.Array):
    return model(x)


def main(x: jax.Array):
    model = Net(nnx.Rngs(0))
    found = [with_default(model, x), static_by_number(model, x, 2), donating(model, x + 1)]
    without_result(model, x)
    text = lowered.lower(model, x).as_text()
    found += [second(x, model), lowered(model, x), len(text) > 0]
    return found, model
