"""One layer that either branch of an `if` puts into a list: it is there once, unless both run."""

import jax.numpy as jnp
from flax import nnx


class Layer(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(2))


class Stack(nnx.Module):
    def __init__(self):
        self.layers = nnx.List([Layer()])

    def add(self, layer: Layer, at=None):
        if at is None:
            self.layers.append(layer)
        else:
            self.layers.insert(at, layer)


class InTurn(Stack):
    def add(self, layer: Layer, at=None):
        for last in (False, True):
            if last:
                self.layers.append(layer)
            else:
                self.layers.insert(0, layer)


class Behind(Stack):
    def add(self, layer: Layer, at=None):
        if at is None:
            self.layers.append(layer)
        else:
            self.layers.insert(at, Layer())
        self.layers.append(layer)


class Own(Stack):
    def __init__(self):
        super().__init__()
        self.head = Layer()

    def use(self, last: bool):
        if last:
            self.layers.append(self.head)
        else:
            self.layers.insert(0, self.head)


class Held(nnx.Module):
    def put(self, layer: Layer, first: bool):
        if first:
            self.head = layer
        else:
            self.tail = layer


def added():
    stack = Stack()
    stack.add(Layer())
    stack.add(Layer(), 0)
    return nnx.state(stack)


def added_twice():
    twice = Stack()
    layer = Layer()
    twice.add(layer)
    twice.add(layer, 0)
    return nnx.compat.state(twice)


def in_turn():
    stack = InTurn()
    stack.add(Layer())
    return nnx.compat.state(stack)


def behind():
    stack = Behind()
    stack.add(Layer())
    return nnx.compat.state(stack)


def own():
    stack = Own()
    stack.use(True)
    return nnx.compat.state(stack)


def put_in_two_calls():
    held = Held()
    layer = Layer()
    held.put(layer, True)
    held.put(layer, False)
    return nnx.compat.state(held)
