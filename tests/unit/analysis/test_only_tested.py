"""A method that is passed for a flag, and nothing but tested there, changes nothing."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects

PROGRAM = """
import functools
from flax import nnx

def plain(x, train=False):
    return x if train else -x

def calling(x, train):
    train()
    return x

def keeping(x, train):
    x.append(train)

def returning(x, train):
    return train

def handing_on(x, train):
    return calling(x, train)

def calling_inside(x, train):
    def inner():
        train()
    return inner

def by_another_name(x, train):
    do = train
    do()

def either(x, train):
    return (train or print)()

def starred(x, *train):
    return x

def hidden(x, **train):
    return x

@functools.cache
def decorated(x, train):
    return x

class Block(nnx.Module):
    def __init__(self, rngs):
        self.drop = nnx.Dropout(0.5, rngs=rngs)
    def __call__(self, x, train: bool):
        if train and x is not None:
            x = -x
        return self.drop(x, deterministic=not train)

class Loud(Block):
    def __call__(self, x, train):
        train()
        return x

class Net(nnx.Module):
    def __init__(self, rngs):
        self.blocks = nnx.List([Block(rngs)])
        self.loud = Loud(rngs)
    def __call__(self, x, unseen):
        BODY
        return x

def f(m: Net, x, unseen):
    return m(x, unseen)
"""
TESTED = [
    "for block in self.blocks: x = block(x, self.train)",
    "plain(x, self.train)",
    "plain(x, train=self.eval)",
    "x = -plain(plain(x, self.train), self.train)",
]
MAY_CALL = [
    "self.loud(x, self.train)",
    "calling(x, self.train)",
    "keeping(x, self.train)",
    "returning(x, self.train)()",
    "handing_on(x, self.train)",
    "calling_inside(x, self.train)()",
    "by_another_name(x, self.train)",
    "either(x, self.train)",
    "starred(x, self.train)",
    "hidden(x, train=self.train)",
    "decorated(x, self.train)",
    "unseen(x, self.train)",
    "plain(x, [self.train])",
    "plain(x, self.train); calling(x, self.train)",
    "plain(x, self.train); change = self.train",
    "plain(x, self.train); return self.train",
    "print(x, self.train)",
]


@pytest.mark.parametrize("body", TESTED)
def test_a_method_that_is_only_tested_is_not_called(body: str) -> None:
    assert "structure" not in effects(PROGRAM.replace("BODY", body), "f", "m")


@pytest.mark.parametrize("body", MAY_CALL)
def test_a_method_that_may_be_called_may_change_the_object(body: str) -> None:
    assert "structure" in effects(PROGRAM.replace("BODY", body), "f", "m")
