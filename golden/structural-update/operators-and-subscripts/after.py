"""Structure that changes in what operators, subscripts, loops and functions like `len` run."""

import jax.numpy as jnp
from flax import nnx


class History(nnx.Module):
    def __init__(self):
        self.total = nnx.Variable(jnp.zeros(2))
        self.seen = 0

    def __matmul__(self, x):
        self.last = nnx.Variable(x)
        return self.total[...] + x

    def __rsub__(self, x):
        self.seen += 1
        return x - self.total[...]

    def __getitem__(self, key):
        self.seen += 1
        return self.total[...] * key

    def __setitem__(self, key, value):
        self.seen += 1
        self.total[...] = value

    def __iter__(self):
        self.seen += 1
        return iter([self.total])

    def __len__(self):
        self.seen += 1
        return 2

    def __contains__(self, x):
        self.seen += 1
        return True


class Totals(nnx.Module):
    def __init__(self):
        self.total = nnx.Variable(jnp.zeros(2))

    def __matmul__(self, x):
        self.total[...] += x
        return self.total[...]

    def __getitem__(self, key):
        return self.total[...] * key

    def __len__(self):
        return 2


@nnx.compat.jit
def multiply(history: History, x):
    return history @ x


@nnx.compat.jit
def subtract(history: History, x):
    return x - history


@nnx.compat.jit
def read(history: History, x):
    return history[3] + x


@nnx.compat.jit
def write(history: History, x):
    history[...] = x


@nnx.compat.jit
def loop(history: History, x):
    for part in history:
        x = x + part
    return x


@nnx.compat.jit
def measure(history: History, x):
    return x * len(history)


@nnx.compat.jit
def search(history: History, x):
    return x if 3 in history else x * 2


@nnx.jit
def in_place_only(totals: Totals, x):
    return totals @ x + totals[2] * len(totals)
