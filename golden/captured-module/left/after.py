"""Loops that update what they capture, in ways that only a person can put right."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = nnx.Variable(jnp.array(0))
        self.history = nnx.Variable(jnp.zeros(2))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return self.linear(x)

    def used_twice(self, x: jax.Array):
        def body(i, x):
            return self(x)

        x = nnx.fori_loop(0, 2, body, x)
        return body(0, x)

    def through_a_helper(self, x: jax.Array):
        options = {"scale": 2.0}

        def helper(x, **options):
            return self(x) * options["scale"]

        return nnx.fori_loop(0, 2, lambda i, x: helper(self(x), **options), x)

    def through_a_kept_helper(self, x: jax.Array):
        def helper(x):
            return self(x)

        helpers = [helper]
        return nnx.remat(lambda x: helper(x))(x), helpers

    def beside_an_argument(self, other: nnx.Linear, x: jax.Array):
        """What jax does to its arguments is lost, and nnx would keep it."""

        @jax.jit
        def run(other: nnx.Linear, x: jax.Array):
            return self(other(x))

        return run(other, x)

    def carries_a_part(self, x: jax.Array):
        def body(i, carry):
            history, x = carry
            history[...] += x
            return history, self(x)

        return nnx.fori_loop(0, 2, body, (self.history, x))[1]

    def with_a_default(self, x: jax.Array):
        def body(i, x, net=self):
            return net(x)

        return nnx.fori_loop(0, 2, body, x)

    def under_a_transform_of_jax(self, x: jax.Array):
        def run(x):
            return nnx.fori_loop(0, 2, lambda i, x: self(x), x)

        return jax.linearize(run, x)[0]

    def bent(self, x: jax.Array):
        return jax.hessian(lambda x: jnp.sum(self(x)))(x)

    def pulled_back(self, x: jax.Array):
        return jax.vjp(self, x)[0]

    def changes_itself(self, x: jax.Array):
        def body(i, x):
            self.mode = "looped"
            return self(x)

        return nnx.fori_loop(0, 2, body, x)


def two_of_a_kind(student: Net, teacher: Net, x: jax.Array):
    """They may be the same object."""
    return nnx.fori_loop(0, 2, lambda i, x: student(teacher(x)), x)


def tie(one: Net, other: Net):
    other.linear = one.linear


def tied_by_a_function(net: Net, x: jax.Array):
    other = Net(nnx.Rngs(1))
    tie(net, other)
    return nnx.fori_loop(0, 2, lambda i, x: net(other(x)), x)


class Around(nnx.Module):
    def __init__(self, net: Net):
        self.net = net

    def __call__(self, x: jax.Array):
        return self.net(x)


def around_the_same(net: Net, x: jax.Array):
    one, other = Around(net), Around(net)
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def handed_on(one: Net, other: Net, x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: one(other(x)), x)


def hands_on(net: Net, x: jax.Array):
    handed_on(Net(nnx.Rngs(1)), Net(nnx.Rngs(2)), x)
    return [each(net, net, x) for each in [handed_on]]


def compiled_for_two_calls(net: Net, x: jax.Array):
    """A parameter would see the updates between the calls."""

    @nnx.jit
    def step(x):
        return net(x)

    return step(x) + step(x)


def apply(net: Net, x: jax.Array):
    return net(x)


def bound_anew(net: Net, x: jax.Array):
    step = functools.partial(apply, net)
    net = Net(nnx.Rngs(1))
    return nnx.jit(step)(x), net


def partial_inside(net: Net, x: jax.Array):
    """The partial is no object that can be passed."""
    step = functools.partial(net)
    return nnx.remat(lambda x: step(x))(x)


def several(models: list[Net], x: jax.Array):
    return nnx.fori_loop(0, 2, lambda i, x: models[0](x), x)


class Trainer:
    """It is no Module: it cannot go into a loop."""

    def __init__(self, rngs: nnx.Rngs):
        self.rate = 0.5
        self.net = Net(rngs)

    def run(self, x: jax.Array):
        return nnx.fori_loop(0, 2, lambda i, x: self.rate * self.net(x), x)


net = Net(nnx.Rngs(0))


def predict(x: jax.Array):
    return net(x)


def shadowed(x: jax.Array):
    net = 2.0
    return nnx.fori_loop(0, 2, lambda i, x: predict(x) * net, x)
