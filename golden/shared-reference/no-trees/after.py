"""Objects that are told to be no trees: `pytree=False` and nnx.Object."""

import jax.numpy as jnp
import optax
from flax import nnx


class Counter(nnx.Object):
    def __init__(self):
        self.seen = nnx.Variable(jnp.zeros(()))


class Net(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        self.layers = [nnx.Linear(2, 2, rngs=rngs) for _ in range(2)]

    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


@nnx.jit(graph=True, graph_updates=False)
def count(counter: Counter, x):
    counter.seen[...] += x.shape[0]
    return x * 2


@nnx.compat.jit
def forward(net: Net, x):
    return net(x)


def optimizer_of(net: Net):
    nnx.set_graph_mode(True)(net.eval)()
    return nnx.Optimizer(net, optax.sgd(0.1), wrt=nnx.Param, graph=True)


class Ordinary(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)


def nothing_of_that(model: Ordinary):
    model.eval()
    optimizer = nnx.Optimizer(model, optax.sgd(0.1), wrt=nnx.Param)
    return optimizer.step[...], model.drop.deterministic, len(nnx.variables(model))
