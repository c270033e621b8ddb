"""Objects that a traced function sows on, or calls through what is bound to them: both raise."""

import functools

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        y = self.linear(x)
        self.sow(nnx.Intermediate, "hidden", y)
        return y


class Counter(nnx.Module):
    def __init__(self):
        self.calls = nnx.Variable(jnp.array(0))

    def __call__(self, x: jax.Array):
        self.calls[...] += 1
        return x * self.calls[...]

    def doubled(self, x: jax.Array):
        return self(x) * 2


class Reader(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x: jax.Array):
        return self.linear(x)


def jitted(x: jax.Array):
    net = Net(nnx.Rngs(0))

    @nnx.jit
    def forward(x):
        return net(x)

    return forward(x), nnx.pop(net, nnx.Intermediate)


def mapped(x: jax.Array):
    net = Net(nnx.Rngs(0))
    return nnx.vmap(lambda x: net(x))(x[None]), nnx.pop(net, nnx.Intermediate)


def differentiated(x: jax.Array):
    net = Net(nnx.Rngs(0))
    net(x)  # what is sown already is not replaced either
    return jax.grad(lambda x: jnp.sum(net(x)))(x)


def apply(net: nnx.Module, x: jax.Array):
    return net(x)


def count(counter: Counter, x: jax.Array):
    return counter(x)


def of_partial(x: jax.Array):
    counter = Counter()
    step = functools.partial(count, counter)
    return nnx.jit(lambda x: step(x))(x)


def of_keyword(x: jax.Array):
    step = functools.partial(count, counter=Counter())

    @nnx.remat
    def run(x):
        return step(x=x)

    return run(x)


def of_method(x: jax.Array):
    double = Counter().doubled
    return nnx.fori_loop(0, 2, lambda i, x: double(x), x)


def only_read(x: jax.Array):
    step = functools.partial(apply, Reader(nnx.Rngs(1)))
    return nnx.jit(lambda x: step(x))(x)


def eager(x: jax.Array):
    net = Net(nnx.Rngs(2))

    def forward(x):
        return net(x)

    return forward(x), nnx.pop(net, nnx.Intermediate)
