"""Loops after which a Module is set to something that the caller has to see."""

from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.epochs = 0

    def __call__(self, x):
        return self.drop(self.linear(x))


def step(model: Net, x):
    model.linear.bias[...] += model(x).mean()
    return model, model.linear.bias[...].sum()


def train(model: Net, xs):
    model.train()
    model, sums = nnx.scan(step)(model, xs)
    model.eval()
    return sums


def count(model: Net, xs):
    trained, sums = nnx.scan(step)(model, xs)
    trained.epochs = 1
    return trained, sums


def of_its_own(xs):
    model = Net(nnx.Rngs(2))
    model, sums = nnx.scan(step)(model, xs)
    model.eval()
    return model(xs[0]), sums


def before(model: Net, xs):
    model.train()
    model, sums = nnx.scan(step)(model, xs)
    return model(xs[0]), sums
