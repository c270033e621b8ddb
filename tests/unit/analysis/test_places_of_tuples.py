"""What a function does to one place of a tuple is no effect on the objects at the others."""

from __future__ import annotations

import pytest

from tests.unit.analysis.asking import effects

HEAD = """
import jax, jax.numpy as jnp
from flax import nnx

class Part(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.flag = 0

class Net(nnx.Module):
    def __init__(self, rngs):
        self.part = Part(rngs)
        self.flag = 0

class Keeper:
    def __init__(self, model):
        self.model = model

def mark(m):
    m.flag = 1

def first(pair):
    one, other = pair
    one.flag = 1

def second(pair):
    one, other = pair
    other.flag = 1

def by_number(pair):
    mark(pair[1])

def from_behind(pair):
    mark(pair[-2])

def behind_a_star(three):
    one, *_, last = three
    last.flag = 1

def within(pair):
    (one, two), three = pair
    two.flag = 1

def inner(pair):
    one, other = pair
    def run():
        other.flag = 1
    run()

def passed_on(pair):
    one, other = pair
    second((one, other))

def bound_again(pair):
    pair = pair[::-1]
    one, other = pair
    other.flag = 1

def in_a_loop(pair):
    for each in pair:
        each.flag = 1

def by_any_number(pair, i):
    pair[i].flag = 1

def the_rest(three):
    one, *rest = three
    rest[0].flag = 1

def put_in_the_other(pair):
    one, table = pair
    table["m"] = one
    table["m"].flag = 1

def put_anywhere_in_the_other(pair):
    one, table = pair
    table[len(table)] = one
    for each in table.values():
        each.flag = 1

def wrapping(f):
    def run(pair):
        one, other = pair
        one.flag = 1
        return f(pair)
    return run

@wrapping
def wrapped(pair):
    one, other = pair
    other.flag = 1

def keeping(carry, x):
    model, other = carry
    other.flag = 1
    return (model, other), x

def keeping_all(carry, x):
    model, other = carry
    other.flag = 1
    return carry, x

def swapping(carry, x):
    model, other = carry
    other.flag = 1
    return (other, model), x

def swapping_by_name(carry, x):
    model, other = carry
    other.flag = 1
    after = other, model
    return after, x

def swapping_beside(carry, x):
    model, other = carry
    other.flag = 1
    return x, (other, model)

def remaking(carry, x):
    model, other = carry
    other.flag = 1
    return remade(carry), x

def remade(carry):
    return carry[1], carry[0]

def holding(carry, x):
    model, other = carry
    other.model.flag = 1
    return (model, Keeper(model)), x

def body(carry):
    model, other, n = carry
    other.flag = 1
    return model, other, n + 1

def turning(carry):
    model, other, third = carry
    third.flag = 1
    return third, model, other

def turning_by_name(carry):
    model, other, third = carry
    third.flag = 1
    after = third, model, other
    return after
"""

LEFT_ALONE = {
    "the other is changed": "second((model, other))",
    "the other is passed by number": "by_number((model, other))",
    "counted from behind": "from_behind((other, model))",
    "behind a star": "behind_a_star((other, model, other))",
    "deeper": "within(((other, other), model))",
    "in a function inside": "inner((model, other))",
    "by another name": "pair = (model, other)\n    second(pair)",
    "passed on": "passed_on((model, other))",
    "through jit": "nnx.jit(second)((model, other))",
    "through scan": "nnx.scan(keeping)((model, other), xs)",
    "through scan, all at once": "nnx.scan(keeping_all)((model, other), xs)",
    "through a while loop": "nnx.while_loop(lambda c: c[2] < 3, body, (model, other, 0))",
    "by keyword": "second(pair=(model, other))",
}
CHANGED = {
    "it is there": "second((other, model))",
    "it is at the first place": "first((model, other))",
    "it is at both": "second((model, model))",
    "a part of it is there": "second((model, model.part))",
    "something keeps it there": "second((other, Keeper(model)))",
    "by number": "by_number((other, model))",
    "counted from behind": "from_behind((model, other))",
    "behind a star": "behind_a_star((other, other, model))",
    "deeper": "within(((other, model), other))",
    "in a function inside": "inner((other, model))",
    "by another name": "pair = (other, model)\n    second(pair)",
    "by a name with two values": (
        "pair = (model, other)\n    if xs:\n        pair = (other, model)\n    second(pair)"
    ),
    "passed on": "passed_on((other, model))",
    "the tuple is bound again": "bound_again((model, other))",
    "in a loop over it": "in_a_loop((model, other))",
    "by any number": "by_any_number((model, other), xs)",
    "the rest": "the_rest((other, model, other))",
    "unpacked into the tuple": "second((*[other], model))",
    "put in what is there": "put_in_the_other((model, {}))",
    "put anywhere in what is there": "put_anywhere_in_the_other((model, {}))",
    "by a decorator": "wrapped((model, other))",
    "swapped by scan": "nnx.scan(swapping)((model, other), xs)",
    "swapped by scan of jax": "jax.lax.scan(swapping, (model, other), xs)",
    "swapped under a name": "nnx.scan(swapping_by_name)((model, other), xs)",
    "swapped beside": (
        "nnx.scan(swapping_beside, in_axes=(nnx.Carry, 0), out_axes=(0, nnx.Carry))("
        "(model, other), xs)"
    ),
    "made again by a call": "nnx.scan(remaking)((model, other), xs)",
    "kept by the other": "nnx.scan(holding)((model, other), xs)",
    "turned by a while loop": "nnx.while_loop(lambda c: xs, turning, (model, other, other))",
    "turned by a for loop": "nnx.fori_loop(0, 3, lambda i, c: turning(c), (model, other, other))",
    "turned under a name": ("nnx.while_loop(lambda c: xs, turning_by_name, (model, other, other))"),
    "by the condition": (
        "nnx.while_loop(lambda c: second((c[1], c[0])), keeping_all, (model, other))"
    ),
}


def _program(body: str) -> str:
    return f"{HEAD}\ndef f(model: Net, other: Net, xs):\n    {body}\n"


@pytest.mark.parametrize("case", LEFT_ALONE)
def test_other_places_are_left_alone(case: str) -> None:
    assert "structure" not in effects(_program(LEFT_ALONE[case]), "f", "model")
    assert "structure" in effects(_program(LEFT_ALONE[case]), "f", "other")


@pytest.mark.parametrize("case", CHANGED)
def test_a_change_of_its_own_place_is_seen(case: str) -> None:
    assert "structure" in effects(_program(CHANGED[case]), "f", "model")
