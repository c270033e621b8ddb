"""Layers that a function puts into a list that it is passed."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import analysis_of, described, effects, values_of

PROGRAM = """
from flax import nnx

class Counting(nnx.Module):
    def __init__(self):
        self.n = 0
    def __call__(self, x):
        self.n += 1
        return x

class Quiet(nnx.Module):
    def __call__(self, x):
        return x

class Other(nnx.Module):
    def __init__(self):
        self.down = nnx.List([])

def put(layers, layer):
    layers.append(layer)

def put_first(*, layer, layers):
    layers.insert(0, layer)

def put_all(layers, more):
    layers.extend(more)

def look_at(layers, layer):
    print(layers, layer)

class Net(nnx.Module):
    def __init__(self, rngs):
        self.down = nnx.List([nnx.Linear(2, 2, rngs=rngs)])
        self.up = nnx.List([nnx.Linear(2, 2, rngs=rngs)])
        self.both = nnx.Sequential(nnx.Linear(2, 2, rngs=rngs))
        WITHIN
    def put(self, layers, layer):
        layers.append(layer)
    @staticmethod
    def put_in(layers, layer):
        layers.append(layer)
    def __call__(self, x):
        return [each(x) for each in self.down], self.both(x)

def f(m: Net):
    return m(1)

def outside():
    net, other = Net(nnx.Rngs(0)), Other()
    OUTSIDE
    return f(net)
"""
PUT = [
    "put(OF.down, LAYER)",
    "put_first(layers=OF.down, layer=LAYER)",
    "put_all(OF.down, [LAYER])",
    "OF.put(OF.down, LAYER)",
    "OF.put_in(OF.down, LAYER)",
    "put(OF.both.layers, LAYER)",
]


def changes(put: str, *, within: bool) -> bool:
    places = {"WITHIN": "pass", "OUTSIDE": "pass"}
    places["WITHIN" if within else "OUTSIDE"] = put.replace("OF", "self" if within else "net")
    text = PROGRAM
    for place, code in places.items():
        text = text.replace(place, code)
    return "structure" in effects(text, "f", "m")


@pytest.mark.parametrize(
    "put",
    [
        *(put.replace("LAYER", "Quiet()") for put in PUT),
        "look_at(OF.down, Counting())",
        "put(OF.up, Counting())",
        "put([], Counting())",
    ],
)
def test_other_layers_and_other_lists_do_not_count(put: str) -> None:
    assert not changes(put, within=True)
    assert not changes(put, within=False)


def test_lists_of_other_classes_do_not_count() -> None:
    assert not changes("put(other.down, Counting())", within=False)


TRAINER = """
from flax import nnx

class Buffer(nnx.Module):
    def add(self, x):
        return x

class Trainer:
    def __init__(self, model: nnx.Module):
        self.optimizer = nnx.Optimizer(model, tx, wrt=nnx.Param)
        self.buffer = Buffer()
    def run(self, model, grads):
        step(model, self.optimizer, self.buffer, grads)

def step(model, optimizer, buffer, grads):
    optimizer.update(model, grads)
    buffer.add(grads)

def look(trainer: Trainer):
    optimizer = trainer.optimizer
    buffer = trainer.buffer
"""


def test_objects_with_methods_of_such_names_are_no_lists() -> None:
    analysis = analysis_of(TRAINER)
    assert described(values_of(analysis, "optimizer", "look")) == {"nnx.Optimizer"}
    assert described(values_of(analysis, "buffer", "look")) == {"Buffer"}


@pytest.mark.parametrize("put", PUT)
@pytest.mark.parametrize("within", [True, False], ids=["in the class", "outside"])
def test_what_a_function_puts_in_runs(put: str, within: bool) -> None:
    assert changes(put.replace("LAYER", "Counting()"), within=within)
