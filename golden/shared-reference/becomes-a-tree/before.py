"""Classes that are told to be no trees: `pytree=False` and nnx.Object."""

import dataclasses

import jax.numpy as jnp
import optax
from flax import nnx


class Counter(nnx.Object):
    def __init__(self):
        self.seen = nnx.Variable(jnp.zeros(()))


class Net(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs, widths: tuple[int, ...] = (2, 2)):
        self.widths = widths
        self.layers = [nnx.Linear(2, width, rngs=rngs) for width in widths]
        self.heads = {"mean": nnx.Linear(2, 2, rngs=rngs), "spread": nnx.Linear(2, 2, rngs=rngs)}
        self.norms = []
        for width in widths:
            self.norms.append(nnx.LayerNorm(width, rngs=rngs))

    def __call__(self, x):
        for layer, norm in zip(self.layers, self.norms, strict=True):
            x = norm(layer(x))
        return {name: head(x) for name, head in self.heads.items()}


class Headed(Net, pytree=False):
    def __init__(self, tied: bool, rngs: nnx.Rngs):
        super().__init__(rngs)
        self.scale = None
        if tied:
            self.head = None
        else:
            self.head = nnx.Linear(2, 2, rngs=rngs)

    def start(self):
        self.scale = nnx.Param(jnp.ones(2))
        return self

    def __call__(self, x):
        y = super().__call__(x)["mean"]
        if self.scale is not None:
            y = y * self.scale
        return y if self.head is None else self.head(y)


@dataclasses.dataclass
class Pair(nnx.Object):
    one: nnx.Linear
    other: nnx.Linear
    weight: float = 0.5


@nnx.jit
def count(counter: Counter, x):
    counter.seen[...] += x.shape[0]
    return x * 2


@nnx.jit
def forward(net: Net, x):
    return net(x)


@nnx.jit
def weighted(pair: Pair, x):
    return pair.weight * (pair.one(x) + pair.other(x))


def optimizer_of(net: Net):
    net.eval()
    return nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param)


class Ordinary(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)


def nothing_of_that(model: Ordinary):
    model.eval()
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    return optimizer.step[...], model.drop.deterministic, len(nnx.variables(model))
