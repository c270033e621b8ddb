"""Perturbations that `nnx.capture` would not make as the forward pass does."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 3, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.perturb("hidden", self.linear(x))

    def double(self, x: jax.Array):
        return self.perturb("doubled", self.linear(x) * 2)


class Sowing(Net):
    def __call__(self, x: jax.Array):
        y = super().__call__(x)
        self.sow(nnx.Intermediate, "output", y)
        return y


def stays(x):
    """What is perturbed once is there for good."""
    model = Net(nnx.Rngs(0))
    model(x)
    wrt = nnx.DiffState(0, nnx.Perturbation)
    grads = nnx.compat.grad(lambda model: jnp.sum(model(x)), argnums=wrt)(model)
    return grads, model


def other_input(x):
    model = Net(nnx.Rngs(1))
    model(x[:1])
    wrt = nnx.DiffState(0, nnx.Perturbation)
    grads = nnx.compat.grad(lambda model: jnp.sum(model(x) ** 2), argnums=wrt)(model)
    nnx.pop(model, nnx.Perturbation)
    return grads


def other_method(x):
    model = Net(nnx.Rngs(2))
    model(x)
    model.double(x)
    wrt = nnx.DiffState(0, nnx.Perturbation)
    grads = nnx.compat.grad(lambda model: jnp.sum(model(x) ** 2), argnums=wrt)(model)
    nnx.pop(model, nnx.Perturbation)
    return grads


def sown_too(x):
    model = Sowing(nnx.Rngs(3))
    model(x)
    wrt = nnx.DiffState(0, (nnx.Param, nnx.Perturbation))
    grads = nnx.compat.grad(lambda model: jnp.sum(model(x) ** 2), argnums=wrt)(model)
    nnx.pop(model, nnx.Perturbation)
    return grads, nnx.pop(model, nnx.Intermediate)


def accumulated(model: Net, x):
    """Somebody may have perturbed it before."""
    model(x)
    wrt = nnx.DiffState(0, nnx.Perturbation)
    grads = nnx.compat.grad(lambda model: jnp.sum(model(x) ** 2), argnums=wrt)(model)
    nnx.pop(model, nnx.Perturbation)
    return grads


def sometimes(model: Net, x, skip: bool):
    model(x)
    wrt = nnx.DiffState(0, nnx.Perturbation)
    grads = nnx.compat.grad(lambda model: jnp.sum(model(x) ** 2), argnums=wrt)(model)
    if not skip:
        nnx.pop(model, nnx.Perturbation)
    return grads


def run(x):
    eager = Net(nnx.Rngs(4))
    eager.double(x)
    found = [stays(x), other_input(x), other_method(x), sown_too(x), accumulated(eager, x)]
    last = Net(nnx.Rngs(5))
    found += [sometimes(last, x, skip=True), sometimes(last, x, skip=False)]
    return found, eager, last
