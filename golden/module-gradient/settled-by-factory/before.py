from collections.abc import Callable

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, size: int = 2, counts: bool = False):
        self.kernel = nnx.Param(jnp.ones(size))
        if counts:
            self.count = nnx.Cache(jnp.array(0.0))

    def __call__(self, x: jax.Array):
        return x * self.kernel[...]


def without_warnings(factory: Callable):
    made = factory()
    return made


def of_class(kind, *args):
    return kind(2)


def passed_on(first: Callable, second: Callable):
    return without_warnings(second)


def plain():
    return Net()


def counting():
    return Net(counts=True)


def loss_fn(model, x: jax.Array):
    return jnp.mean(model(x) ** 2)


def from_a_function(x: jax.Array):
    net = plain()
    return nnx.grad(loss_fn)(net, x).kernel[...]


def from_a_lambda(x: jax.Array):
    net = without_warnings(lambda: Net(2))
    return nnx.grad(loss_fn)(net, x).kernel[...]


def from_a_keyword(x: jax.Array):
    net = without_warnings(factory=plain)
    return nnx.grad(loss_fn)(net, x).kernel[...]


def from_the_second(x: jax.Array):
    net = passed_on(counting, plain)
    return nnx.grad(loss_fn)(net, x).kernel[...]


def from_a_class(x: jax.Array):
    net = of_class(Net)
    return nnx.grad(loss_fn)(net, x).kernel[...]


def from_one_that_counts(x: jax.Array):
    net = passed_on(plain, counting)
    grads = nnx.grad(loss_fn)(net, x)
    return len(jax.tree.leaves(grads)), grads.kernel[...]
