"""The order of questions decides no answer."""

from __future__ import annotations

import random

import pytest

from nnx_migrate.analysis.domain.values import Scope, Values
from nnx_migrate.analysis.ir import nodes as ir
from tests.unit.analysis.asking import MAIN, analysis_of

#: Two circles, of which one rests on the other's inner one.
CALLS = """
from flax import nnx


def first(x, n):
    found = second(x, n) if n else nnx.Linear(2, 2, rngs=nnx.Rngs(0))
    return found if x else fourth(x, n)


def second(x, n):
    return third(x, n) if n else first(x, n)


def third(x, n):
    return second(x, n) if n else nnx.Dropout(0.1, rngs=nnx.Rngs(0))


def fourth(x, n):
    kept = third(x, n)
    return kept


a = first(1, 2)
b = fourth(1, 2)
c = second(1, 2)
d = third(1, 2)
"""
#: Containers that hold themselves, through functions that call each other.
NESTED = """
from flax import nnx


def grown(x, n):
    while n:
        x = [x]
        n = n - 1
    return x


def deeper(y):
    for _ in range(3):
        y = {"y": y, "net": nnx.Linear(2, 2, rngs=nnx.Rngs(0))}
    return grown(y, 1)


def build(prompt, depth):
    prompt = [prompt]
    for _ in range(depth):
        prompt = [prompt]
    return prompt, deeper(prompt)


net = nnx.Dropout(0.1, rngs=nnx.Rngs(0))
made, more = build(net, 2)
"""


@pytest.mark.parametrize("source", [CALLS, NESTED])
def test_the_order_of_questions_decides_no_answer(source: str) -> None:
    expected = _answers(source, 0)
    for seed in range(1, 12):
        assert _answers(source, seed) == expected


def _answers(source: str, seed: int) -> dict[tuple[Scope, str], Values]:
    """What each name of a program can be, asked for in some order."""
    analysis = analysis_of(source)
    functions = analysis.project.modules[MAIN].functions
    asked = [
        (Scope(MAIN, key), name)
        for key, function in functions.items()
        for name in (*function.bindings, *(each.name for each in function.parameters))
    ]
    random.Random(seed).shuffle(asked)
    found = {
        (scope, name): analysis.evaluator.values(scope, ir.Name(name)) for scope, name in asked
    }
    return {each: found[each] for each in sorted(found)}
