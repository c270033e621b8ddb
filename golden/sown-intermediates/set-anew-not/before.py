"""Modules that set attributes to new Variables, which do not lie there as sown values do."""

import jax
import jax.numpy as jnp
from flax import nnx


class Declared(nnx.Variable):
    pass


class Shared(nnx.Variable):
    pass


class Elsewhere(nnx.Variable):
    pass


class Left(nnx.Variable):
    pass


class WithDeclared(nnx.Module):
    def __init__(self):
        self.seen = Declared(jnp.zeros(()))

    def __call__(self, x: jax.Array):
        self.seen = Declared(x.sum())
        return x


class WithShared(nnx.Module):
    def __call__(self, x: jax.Array):
        self.first = self.second = Shared(x.sum())
        return x


class WithElsewhere(nnx.Module):
    def __init__(self):
        self.other = Elsewhere(jnp.ones(()))

    def __call__(self, x: jax.Array):
        self.seen = Elsewhere(x.sum())
        return x


class WithLeft(nnx.Module):
    def __call__(self, x: jax.Array):
        self.seen = Left(x.sum())
        return x


@nnx.jit
def declared(model: WithDeclared, x: jax.Array):
    return model(x)


@nnx.jit
def shared(model: WithShared, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, Shared))


@nnx.jit
def elsewhere(model: WithElsewhere, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, Elsewhere))


@nnx.jit
def left(model: WithLeft, x: jax.Array):
    y = model(x)
    return y, jax.tree.leaves(nnx.pop(model, Left))


def run(x: jax.Array):
    models = WithDeclared(), WithShared(), WithElsewhere(), WithLeft()
    a, b, c, d = models
    d(x)  # it lies there before, and graph mode takes it off
    results = declared(a, x), shared(b, x), elsewhere(c, x), left(d, x)
    return results, [sorted(vars(model)) for model in models], a.seen[...]
