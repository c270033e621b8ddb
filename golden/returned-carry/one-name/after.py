"""Loops whose result takes the place of what went in, or is only looked at: the same."""

import jax
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.training = True

    def __call__(self, x):
        return self.linear(x)


def step(model: Net, x):
    model.linear.bias[...] += model(x).mean()
    return model, model.linear.bias[...].sum()


def same_name(xs):
    model = Net(nnx.Rngs(1))
    model, sums = nnx.scan(step)(model, xs)
    model.training = False
    return model.training, sums


def both_read(model: Net, xs):
    trained, sums = nnx.scan(step)(model, xs)
    return trained(xs[0]), model(xs[0]), sums


def in_place(model: Net, x):
    last = nnx.fori_loop(0, 3, lambda i, m: step(m, x)[0], model)
    last.linear.bias[...] += 1
    return model.linear.bias[...]
