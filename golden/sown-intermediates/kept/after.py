"""What `nnx.capture` would not give as `nnx.pop` does."""

import jax
import jax.numpy as jnp
from flax import nnx


class Mean(nnx.Variable):
    pass


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


class WithMean(Net):
    def __call__(self, x: jax.Array):
        y = super().__call__(x)
        self.sow(Mean, "mean", jnp.mean(y))
        return y


@nnx.jit
def _several_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, (nnx.Intermediate, Mean)))


def several(model: Net, x: jax.Array):
    result, sown = _several_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _of_subclass_and_pop(model: WithMean, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, (nnx.Intermediate, Mean)))


def of_subclass(model: WithMean, x: jax.Array):
    result, sown = _of_subclass_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _after_eager_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, (nnx.Intermediate, Mean)))


def after_eager(model: Net, x: jax.Array):
    result, sown = _after_eager_and_pop(model, x)
    nnx.update(model, sown)
    return result


@nnx.jit
def _sometimes_and_pop(model: Net, x: jax.Array):
    return model(x), nnx.clone(nnx.pop(model, (nnx.Intermediate, Mean)))


def sometimes(model: Net, x: jax.Array):
    result, sown = _sometimes_and_pop(model, x)
    nnx.update(model, sown)
    return result


def run(x: jax.Array):
    first = Net(nnx.Rngs(0))
    for i in range(2):
        several(first, x + i)
    all_passes = nnx.pop(first, nnx.Intermediate)

    second = WithMean(nnx.Rngs(1))
    of_subclass(second, x)
    with_mean = nnx.pop(second, nnx.Intermediate)

    third = Net(nnx.Rngs(2))
    third(x)
    after_eager(third, x)
    eager_too = nnx.pop(third, nnx.Intermediate)

    fourth = Net(nnx.Rngs(3))
    found = []
    for i in range(3):
        sometimes(fourth, x + i)
        if i > 0:
            found.append(nnx.pop(fourth, nnx.Intermediate))
    return all_passes, with_mean, eager_too, found
