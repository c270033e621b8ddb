"""Code that calls itself: all that it may lead to is found, and what it makes anew stays apart."""

from __future__ import annotations

import pytest

from nnx_migrate.analysis.points_to.passed import objects as passed_objects
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
    "two of a list that a comprehension makes": """
    xs = [make() for _ in range(3)]
    both(xs[0], xs[1])""",
    "each of a list beside the next one": """
    xs = [make() for _ in range(3)]
    for a, b in zip(xs, xs[1:]):
        both(a, b)""",
    "two of a sum of lists": """
    p, q = make(), make()
    xs = ([p] if p else [q]) + [make()]
    both(xs[0], xs[1])""",
    "two that are kept by methods of one class": """
    one, two = Keeper(), Keeper()
    one.keep(make())
    two.keep(make())
    both(one.net, two.net)
class Keeper:
    def keep(self, net):
        self.net = net""",
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
    "a list that is made of itself and one more": """
    xs = []
    for _ in range(3):
        xs.append(make())
    xs = [*xs, make()]
    both(xs)""",
    "a list that each element of is wrapped": """
    xs = [make(), make()]
    xs = [Holder(x) for x in xs]
    both(xs)""",
    "a list that its own elements are put into another order in": """
    xs = [make(), make()]
    xs = [xs[1], xs[0]]
    both(xs)""",
    "a State that is taken apart and put together anew": """
    model = Holder(make())
    state = nnx.state(model)
    state = {"net": state["net"]}
    both(state)""",
    "names that are swapped once": """
    a, b = make(), make()
    p = a
    a, b = b, a
    both(a, p)""",
    "a function that gives one of the two, called once for each": """
    a, b = make(), make()
    both(first(3, a), first(3, b))
def first(n, m):
    return m if n == 0 else first(n - 1, m)""",
    "a walk into one beside another": """
    walk(2, Holder(make()), make())
def walk(n, node, other):
    return both(node, other) if n == 0 else walk(n - 1, node.net, other)""",
}
SHARED = {
    "given back in turns": """
    p, q = make(), make()
    both(turn(3, p, q), q)
def turn(n, a, b):
    return a if n == 0 else turn(n - 1, b, a)""",
    "given back by two functions": """
    p, q = make(), make()
    both(even(3, p, q), q)
def even(n, a, b):
    return a if n == 0 else odd(n - 1, b, a)
def odd(n, a, b):
    return a if n == 0 else even(n - 1, b, a)""",
    "taken out of what is held": """
    p = make()
    chain = Holder(Holder(Holder(p)))
    at = chain
    for _ in range(3):
        at = at.net
    both(at, p)""",
    "one of several, by an attribute": """
    p, q = make(), make()
    h = Holder(q)
    h = Holder(p)
    both(h.net, p)""",
    "bound again on the same line": """
    p, q = make(), make()
    a = q
    a = p; b = a
    both(b, p)""",
    "bound in the middle of a line": """
    p, q = make(), make()
    a = q
    b = [(a := p), a]
    both(b)""",
    "bound below, in a loop": """
    p, q = make(), make()
    a, b = p, p
    for _ in range(3):
        both(a, q)
        a = b
        b = q""",
    "bound on one line with the call, over several lines": """
    p, q = make(), make()
    a = p
    a = [
        1,
        both(a, p),
    ]""",
    "changed by a function inside, called before it is bound below": """
    p, q = make(), make()
    a = q
    def turn():
        nonlocal a
        a = p
    a = q
    turn()
    both(a, p)""",
    "put into a list behind its second name": """
    p = make()
    xs = [p]
    ys = xs
    xs = [make()]
    ys.append(p)
    both(ys)""",
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
    return analysis.sharing.passed.twice(where, call.args, call.line)


@pytest.mark.parametrize("name", APART)
def test_what_is_made_anew_stays_apart(name: str) -> None:
    assert _reason(APART[name]) == ""


@pytest.mark.parametrize("name", SHARED)
def test_what_comes_round_is_found(name: str) -> None:
    assert _reason(SHARED[name])


@pytest.mark.parametrize("name", SHARED)
def test_what_comes_round_is_found_or_open_beyond_a_bound(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passed_objects, "_MOST_EXACT", 1)
    monkeypatch.setattr(passed_objects, "_MOST_STATES", 1)
    assert _reason(SHARED[name])
