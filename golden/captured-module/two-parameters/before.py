"""Two models that a loop captures: which of them may be one object is decided where they come from."""

import copy
import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0.0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)


def make(seed: int):
    return Net(nnx.Rngs(seed))


def make_named(seed: int):
    net = Net(nnx.Rngs(seed))
    net.calls[...] = jnp.array(3.0)
    return net


_known = {}


def make_kept(seed: int):
    net = Net(nnx.Rngs(seed))
    _known[seed] = net
    return net


@functools.cache
def make_once(seed: int):
    return Net(nnx.Rngs(seed))


shared = Net(nnx.Rngs(9))


def make_shared(seed: int):
    return shared


def make_tied(net: Net):
    other = Net(nnx.Rngs(1))
    other.linear = net.linear
    return other


def of_a_factory(x: jax.Array):
    one, other = make(0), make(0)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x), one, other


def of_a_careful_factory(x: jax.Array):
    one, other = make_named(0), make_named(1)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x), one, other


def copied(one: Net, x: jax.Array):
    other = copy.deepcopy(one)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x), one, other


def run_both(one: Net, other: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x), one, other


def run_made(one: Net, other: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x), one, other


class Trainer:
    def __init__(self):
        self.student = make(0)
        self.teacher = Net(nnx.Rngs(1))

    def run(self, x: jax.Array):
        return run_both(self.student, self.teacher, x)


def kept(x: jax.Array):
    one, other = make_kept(0), make_kept(0)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def made_once(x: jax.Array):
    one, other = make_once(0), make_once(0)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def of_the_module(x: jax.Array):
    one, other = make_shared(0), make_shared(1)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def tied(x: jax.Array):
    one = make(0)
    other = make_tied(one)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def by_two_names(x: jax.Array):
    one = other = make(0)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def run_listed(one: Net, other: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def listed(x: jax.Array):
    nets = [make(0), make(1)]
    return run_listed(nets[0], nets[1], x)


def run_any(one: Net, other: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def any_two(x: jax.Array):
    return [each(make(0), make(1), x) for each in (run_any,)]


def main(x: jax.Array):
    return (
        of_a_factory(x),
        of_a_careful_factory(x),
        copied(make(3), x),
        Trainer().run(x),
        run_made(make(4), make(5), x),
    )
