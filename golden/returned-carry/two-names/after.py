"""What a loop returns and what went in, taken for one object."""

import jax
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.frozen = False

    def __call__(self, x):
        return self.drop(self.linear(x))


def step(model: Net, x):
    model.linear.bias[...] += x
    return model, model.linear.bias[...].sum()


def trained_and_frozen(model: Net, xs):
    trained, sums = nnx.compat.scan(step)(model, xs)
    trained.frozen = True
    return model.frozen, sums


def evaluated(model: Net, x):
    looped = nnx.compat.fori_loop(0, 2, lambda i, m: step(m, x)[0], model)
    looped.eval()
    return model(x)


class Runner:
    def __init__(self, model: Net):
        self.model = model

    def run(self, x):
        final = nnx.compat.while_loop(lambda m: m.linear.bias[...].sum() < 3, lambda m: step(m, x)[0], self.model)
        self.model.frozen = True
        return final.frozen, final is self.model


def fresh(model: Net, xs):
    other, sums = nnx.compat.scan(step)(model, xs)
    return other is not model


def inner(model: Net, x):
    looped: Net = nnx.compat.fori_loop(0, 2, lambda i, m: step(m, x)[0], model)
    looped.drop.deterministic = True
    return model.drop.deterministic
