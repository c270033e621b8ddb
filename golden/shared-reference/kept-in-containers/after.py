"""One layer in several places of lists and dictionaries, however they are put together."""

import itertools

import jax.numpy as jnp
import optax
from flax import nnx


class Layer(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))

    def __call__(self, x):
        return self.w[...] * x + 1


class Stack(nnx.Module):
    def __call__(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class Extended(Stack):
    def __init__(self):
        layer = Layer()
        layers = [layer]
        layers += [layer]
        self.layers = nnx.List(layers)


class Comprehended(Stack):
    def __init__(self, depth):
        layer = Layer()
        self.layers = nnx.List([layer for _ in range(depth)])


class Looped(Stack):
    def __init__(self, depth):
        layer = Layer()
        layers = []
        for _ in range(depth):
            layers.append(layer)
        self.layers = nnx.List(layers)


class Summed(Stack):
    def __init__(self):
        first, second = Layer(), Layer()
        self.layers = nnx.List([first, second] + [first])


class Repeated(Stack):
    def __init__(self, depth):
        self.layers = nnx.List(list(itertools.repeat(Layer(), depth)))


class Beside(Stack):
    def __init__(self):
        self.first = Layer()
        self.layers = nnx.List([self.first, Layer()])


class Named(nnx.Module):
    def __init__(self, names):
        self.layers = nnx.Dict(dict.fromkeys(names, Layer()))

    def __call__(self, x):
        return self.layers["a"](x) + self.layers["b"](x)


class Numbered(nnx.Module):
    def __init__(self, depth):
        layer = Layer()
        for i in range(depth):
            setattr(self, f"layer{i}", layer)

    def __call__(self, x):
        return self.layer1(self.layer0(x))


class Trainer(nnx.Module):
    def __init__(self):
        self.model = Layer()
        self.optimizer = nnx.ModelAndOptimizer(self.model, optax.sgd(0.1), wrt=nnx.Param)


class Fresh(Stack):
    """Another layer in each turn, and in each branch."""

    def __init__(self, depth, closing):
        layers = []
        for i in range(depth):
            layer = Layer()
            layers.append(layer)
            setattr(self, f"beside{i}", Layer())
        last = Layer()
        if closing:
            layers = [*layers, last]
        self.layers = nnx.List(layers)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def extended(model: Extended, x):
    return model(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def comprehended(model: Comprehended, x):
    return model(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def looped(model: Looped, x):
    return model(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def summed(model: Summed, x):
    return model(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def repeated(model: Repeated, x):
    return model(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def beside(model: Beside, x):
    return model(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def named(model: Named, x):
    return model(x)


@nnx.compat.jit
@nnx.set_graph_mode(True)
@nnx.set_graph_updates(True)
def numbered(model: Numbered, x):
    return model(x)


@nnx.jit(graph=True, graph_updates=False)
def train(trainer: Trainer, grads):
    trainer.optimizer.update(grads)
    return trainer.model.w[...]


@nnx.jit
def fresh(model: Fresh, x):
    return model(x)


def run(x):
    found = [extended(Extended(), x), comprehended(Comprehended(2), x), looped(Looped(2), x)]
    found += [summed(Summed(), x), repeated(Repeated(2), x), beside(Beside(), x)]
    found += [named(Named(("a", "b")), x), numbered(Numbered(2), x)]
    trainer = Trainer()
    found.append(train(trainer, nnx.state(trainer.model, nnx.Param)))
    return found, fresh(Fresh(2, True), x)
