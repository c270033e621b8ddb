"""Tied models under transforms that mid mode would change: each stays in full graph mode."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.first = self.second = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.zeros(()))
        self.phase = 0

    def __call__(self, x):
        self.calls[...] += 1
        return self.second(self.first(x))


@nnx.compat.jit
def sets_an_attribute(tied: Tied, x):
    tied.phase = 1
    return tied(x)


@nnx.compat.jit
def replaces_a_variable(tied: Tied):
    tied.first.bias = nnx.Param(jnp.ones(2))


@nnx.compat.jit
def sows(tied: Tied, x):
    tied.sow(nnx.Intermediate, "hidden", x)
    return tied(x)


@nnx.compat.jit
def gives_it_back(tied: Tied, x):
    tied(x)
    return tied


@nnx.compat.jit
def takes_it_apart(tied: Tied):
    return jax.tree.leaves(nnx.clone(nnx.compat.state(tied)))


@functools.partial(nnx.compat.jit, donate_argnames="x")
def donates(tied: Tied, x):
    return tied(x)


def scanned(tied: Tied, xs):
    def body(tied, x):
        return tied(x)

    return nnx.compat.scan(body, in_axes=(None, 0), out_axes=0)(tied, xs)


def looped(tied: Tied):
    def body(i, tied):
        tied.calls[...] += i
        return tied

    return nnx.compat.fori_loop(0, 3, body, tied) is tied


def run():
    tied = Tied(nnx.Rngs(0))
    x = jnp.ones(2)
    results = [sets_an_attribute(tied, x), sows(tied, x), takes_it_apart(tied)]
    replaces_a_variable(tied)
    same = gives_it_back(tied, x) is tied
    results += [donates(tied, x + 1), scanned(tied, jnp.ones((3, 2)))]
    return results, same, looped(tied), tied.phase, hasattr(tied, "hidden"), tied.calls[...], tied.first.bias[...]
