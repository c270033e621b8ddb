"""Code that calls itself: all that it may lead to is found, and what it makes anew stays apart."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.points_to import passed_objects
from tests.unit.analysis.asking import analysis_of, scope_named

HEAD = """
from flax import nnx

class Holder(nnx.Module):
    def __init__(self, net: nnx.Linear):
        self.net = net

class Chain(nnx.Module):
    def __init__(self, n, rngs):
        self.own = nnx.Linear(2, 2, rngs=rngs)
        self.left = Chain(n - 1, rngs) if n else None
        self.right = Chain(n - 1, rngs) if n else None

class Link(nnx.Module):
    def __init__(self, own: nnx.Linear, rest):
        self.own = own
        self.rest = rest

def both(*given):
    pass

def make():
    return nnx.Linear(2, 2, rngs=nnx.Rngs(0))
"""
APART = {
    "a class that makes more of itself": "both(Chain(3, nnx.Rngs(0)))",
    "links that each have their own": """
    both(links(3))
def links(n):
    return Link(make(), links(n - 1) if n else None)""",
    "one that is wrapped again and again": """
    both(wrap(3, make()))
def wrap(n, m):
    return m if n == 0 else wrap(n - 1, Holder(m))""",
    "a list that a function adds to and passes on": """
    both(collect(3))
def collect(n):
    return [] if n == 0 else [make()] + collect(n - 1)""",
    "a loop that passes two on and gets them back": """
    a, b = make(), make()
    for _ in range(3):
        a, b = same(a, b)
    both(a, b)
def same(a, b):
    return a, b""",
    "a copy of a copy": """
    a, b = make(), make()
    for _ in range(3):
        a = nnx.clone(a)
    both(a, b)""",
    "a walk into one beside another": """
    walk(2, Holder(make()), make())
def walk(n, node, other):
    return both(node, other) if n == 0 else walk(n - 1, node.net, other)""",
}
SHARED = {
    "passed on in turns": """
    p, q, r = make(), make(), make()
    turn(3, p, q, r, p)
def turn(n, a, b, c, d):
    return both(a, b) if n == 0 else turn(n - 1, b, c, d, a)""",
    "passed on by two functions": """
    p, q, r, s = make(), make(), make(), make()
    even(4, p, q, r, s, p)
def even(n, a, b, c, d, e):
    return both(a, b) if n == 0 else odd(n - 1, b, c, d, e, a)
def odd(n, a, b, c, d, e):
    return even(n - 1, b, c, d, e, a)""",
}


def _reason(body: str) -> str:
    """Why what is passed to `both` may be shared."""
    analysis = analysis_of(f"{HEAD}\ndef main():\n    {body.strip()}\n")
    ((where, call, _),) = analysis.evaluator.callers.of(scope_named(analysis, "both"))
    return analysis.sharing.passed.twice(where, call.args)


@pytest.mark.parametrize("name", APART)
def test_what_is_made_anew_stays_apart(name: str) -> None:
    assert _reason(APART[name]) == ""


@pytest.mark.parametrize("name", SHARED)
def test_what_comes_round_is_found(name: str) -> None:
    assert "twice" in _reason(SHARED[name])


@pytest.mark.parametrize("name", SHARED)
def test_what_comes_round_is_found_or_open_beyond_a_bound(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passed_objects, "_MOST_EXACT", 1)
    monkeypatch.setattr(passed_objects, "_MOST_STATES", 1)
    assert _reason(SHARED[name])
