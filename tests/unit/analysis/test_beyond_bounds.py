"""What takes too long to follow may be anything; it is never taken for nothing."""

from __future__ import annotations

import dataclasses

import pytest

from nnx_migrate.analysis.domain.values import Instance, Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to import queries
from nnx_migrate.analysis.points_to.abstract_objects import (
    REST,
    Anything,
    Held,
    MadeBy,
    Object,
    Variable,
    attribute,
)
from nnx_migrate.analysis.points_to.repeated_objects import objects, twice
from nnx_migrate.analysis.points_to.widening import roughly, summarized
from nnx_migrate.core.deep_stack import run_deep
from tests.unit.analysis.asking import MAIN, analysis_of, scope_named

TOO_MUCH = "nnx-migrate cannot tell which objects"
CALLS = """
from flax import nnx

def keep(m):
    return m

def run(net: nnx.Linear, other: nnx.Linear):
    return both(net, keep(keep(keep(keep(keep(other))))))

class Holder(nnx.Module):
    def __init__(self, net: nnx.Linear, other: nnx.Linear):
        self.net = net
        self.other = keep(keep(keep(keep(keep(other)))))
"""


@pytest.mark.parametrize("limit", ["_DEEPEST", "_MOST"])
def test_a_question_beyond_a_bound_is_open(limit: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _reasons() == ("", "")
    monkeypatch.setattr(queries, limit, 6)
    passed, held = _reasons()
    assert passed.startswith(TOO_MUCH)
    assert held.startswith(TOO_MUCH)
    # To code that is not known either it is handed without a word.
    assert _reasons(shown=True)[0] == ""


def _reasons(*, shown: bool = False) -> tuple[str, str]:
    """Why two arguments, and what an object keeps, may be shared."""
    analysis = analysis_of(CALLS)
    scope = scope_named(analysis, "run")
    (call,) = (c for c in analysis.project.function(scope).calls if ir.last_name(c.func) == "both")
    holder = analysis.project.function(scope_named(analysis, "__init__")).owner
    kept = analysis.sharing.of(frozenset({Instance(f"{MAIN}:{holder}")}))
    return analysis.sharing.passed.twice(scope, call.args, shown=shown), kept


SCOPE = Scope(MAIN, "run:1:0")
VIA = (SCOPE, ir.Call(ir.Name("make"), (), (), 7))
INSIDE = Scope(MAIN, "make:2:0")


def made(number: int) -> Held:
    call = ir.Call(ir.Name("Linear"), (), (), number)
    return Held(Object(MadeBy(INSIDE, call, (VIA,)), (), Located(INSIDE, call)))


def given(name: str) -> Held:
    return Held(Object(Variable(SCOPE, name, 0), (), Located(SCOPE, ir.Name(name))))


def value(*parts: Held) -> Held:
    return Held(None, tuple(("", part) for part in parts))


def test_a_call_that_makes_few_objects_gives_each() -> None:
    few = value(*map(made, range(100)), given("net"))
    assert summarized(few, VIA) is few


def test_a_call_that_makes_many_gives_one_for_all_and_what_it_is_passed() -> None:
    net = given("net")
    many = summarized(value(*map(made, range(500)), net), VIA)
    assert [each.object for each in objects(many)] == [made(0).object, net.object]
    assert not list(twice(many))
    ((inner, outer),) = twice(value(many, net))
    assert inner.object == outer.object == net.object


def test_an_object_among_many_holds_its_parts_once() -> None:
    net = given("net")
    assert net.object is not None
    part = Held(dataclasses.replace(net.object, path=("kernel",)))
    whole = Held(net.object, (("kernel", part),))
    many = summarized(value(*map(made, range(500)), whole), VIA)
    assert not list(twice(many))
    assert list(twice(summarized(value(*map(made, range(500)), whole, part), VIA)))
    assert list(twice(value(many, part)))


def test_what_is_there_twice_among_many_stays_twice() -> None:
    many = summarized(value(*map(made, range(500)), made(3)), VIA)
    assert any(inner.object == made(3).object for inner, _ in twice(many))


def test_a_call_that_gives_thousands_of_others_may_give_anything() -> None:
    others = value(*(given(f"net{number}") for number in range(2000)))
    (found,) = objects(summarized(others, VIA))
    assert isinstance(found.object.root, Anything)


def node(*path: str) -> Held:
    """Something below an object whose class holds others of its own kind."""
    place = Located(SCOPE, ir.Name("solver"))
    return Held(Object(Variable(SCOPE, "solver", 0), path, place))


def states(of: Held) -> tuple[Held, Held]:
    """What `nnx.split(x, nnx.Param, ...)` gives beside the graphdef."""
    place = Located(SCOPE, ir.Name("solver"))
    return attribute(of, "<7:4>1", place), attribute(of, "<7:4>2", place)


@pytest.mark.parametrize("known", [(), ("inner",)])
def test_states_of_whatever_object_are_apart(known: tuple[str, ...]) -> None:
    params, nondiff = states(node(*known, REST))
    assert not list(twice(value(params, nondiff)))
    assert not list(twice(roughly(value(params, nondiff))))


def test_a_state_of_whatever_object_is_there_twice() -> None:
    params, _ = states(node(REST))
    assert list(twice(value(params, params)))
    assert list(twice(roughly(value(params, params))))
    assert list(twice(value(params, node(REST))))
    assert list(twice(value(params, node())))


def test_parts_of_a_state_of_whatever_object_are_not_told_apart() -> None:
    place = Located(SCOPE, ir.Name("solver"))
    params, _ = states(node(REST))
    kernel, bias = attribute(params, "kernel", place), attribute(params, "bias", place)
    assert list(twice(value(kernel, bias)))


def test_a_name_that_is_bound_hundreds_of_times_is_followed() -> None:
    again = "\n    ".join(["x = keep(x)", "y = keep(x)", "x = y"] * 150)
    analysis = run_deep(
        analysis_of,
        f"{CALLS}\ndef main(net: nnx.Linear):\n    x = net\n    {again}\n    both(x, net)\n",
    )
    scope = scope_named(analysis, "main")
    (call,) = (c for c in analysis.project.function(scope).calls if ir.last_name(c.func) == "both")
    reason = run_deep(analysis.sharing.passed.twice, scope, call.args, call.line)
    assert reason == "net is passed twice"
