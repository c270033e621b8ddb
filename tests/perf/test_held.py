"""A value that holds a part in many ways is hashed and changed by its parts, not by the ways."""

from __future__ import annotations

import functools
import sys
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from nnx_migrate.analysis.domain.values import Located, Scope
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to import queries
from nnx_migrate.analysis.points_to.abstract_objects import Held, Object, Variable, mapped
from nnx_migrate.analysis.points_to.passed.objects import PassedObjects
from nnx_migrate.analysis.points_to.repeated_objects import IS_PASSED, twice
from nnx_migrate.analysis.points_to.widening import joined
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration
from tests.perf.counting import calls_during
from tests.unit.analysis.asking import analysis_of, scope_named, values_of

SCOPE = Scope("main", "run:1:0")


def halves(depth: int) -> Held:
    """A value of which each part is there twice: 2**depth ways lead to its object."""
    held = Held(Object(Variable(SCOPE, "model", 0), (), Located(SCOPE, ir.Name("model"))))
    for _ in range(depth):
        held = Held(None, (("left", held), ("right", held)))
    return held


def test_a_value_is_hashed_once_for_all_ways() -> None:
    assert calls_during(lambda: hash(halves(16))) < 40 * 16


def test_a_part_is_changed_once_for_all_ways() -> None:
    changed = []

    def change(held: Held) -> Held:
        changed.append(held)
        return Held(None, (("kept", held),))

    found = mapped(halves(16), change)
    assert len(changed) == 1
    for _ in range(16):
        (_, left), (_, right) = found.parts
        assert left is right
        found = left
    assert found == Held(None, (("kept", halves(0)),))


def chain(depth: int) -> Held:
    """A value in which each object keeps another one."""
    held = Held()
    for number in range(depth):
        name = f"layer{number}"
        made = Object(Variable(SCOPE, name, 0), (), Located(SCOPE, ir.Name(name)))
        held = Held(made, (("inner", held), ("own", Held(None))))
    return held


def _beside_a_repeated(depth: int) -> None:
    one = halves(0)
    both = Held(None, (("left", one), ("right", one)))
    assert list(twice(Held(None, (("both", both), ("chain", chain(depth))))))


def test_what_holds_nothing_twice_is_not_gone_through_beside_what_does() -> None:
    few, many = (calls_during(functools.partial(_beside_a_repeated, n)) for n in (20, 80))
    assert many < 5 * few


def _with_layers(count: int) -> Counter[str]:
    """How often the choices in what a class of so many layers keeps are gone through."""
    layers = "".join(f"        self.l{i} = [nnx.Linear(2, 2, rngs=rngs)]\n" for i in range(count))
    code = (
        f"from flax import nnx\n\nclass Net(nnx.Module):\n    def __init__(self, rngs):\n{layers}"
    )
    analysis = analysis_of(f"{code}\nnet = Net(nnx.Rngs(0))\n")
    seen: Counter[str] = Counter()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            seen[frame.f_code.co_name] += 1

    sys.setprofile(note)
    try:
        assert not analysis.sharing.of(values_of(analysis, "net"))
    finally:
        sys.setprofile(None)
    return seen


def test_what_layers_keep_is_gone_through_once_and_not_for_each_pair_of_them() -> None:
    few, many = _with_layers(8), _with_layers(32)
    assert few["choices"]
    assert many["choices"] <= 4 * few["choices"]
    assert many["on_several"] <= 4 * few["on_several"]


def _twice_in_chain(depth: int) -> None:
    assert not list(twice(chain(depth)))


def test_each_part_of_what_holds_nothing_twice_is_looked_at_once() -> None:
    few, many = (calls_during(functools.partial(_twice_in_chain, depth)) for depth in (20, 80))
    assert many < 5 * few


_RETURNED = """
from flax import nnx


def both(model):
    return model, model


both(nnx.Linear(2, 2, rngs=nnx.Rngs(0)))
"""


def test_what_is_in_a_value_twice_is_looked_for_once_whatever_is_said_of_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    analysis = analysis_of(_RETURNED)
    both = scope_named(analysis, "both")
    (returned,) = analysis.project.function(both).returns
    looks: list[Held] = []
    original = PassedObjects._within

    def noting(self: PassedObjects, whole: Held, shown: bool) -> object:
        looks.append(whole)
        return original(self, whole, shown)

    monkeypatch.setattr(PassedObjects, "_within", noting)
    ways = [IS_PASSED, "is returned"]
    told = [analysis.sharing.passed.twice(both, (returned,), does=way) for way in ways * 2]
    assert told == [f"model {way} twice" for way in ways * 2]
    assert len(looks) == 1


_REBUILT = """\
from flax import nnx
import graphs


def merged(graph: graphs.Graph, first, last):
    graph.edges = [(e[0], last) if e[1] == first else e for e in graph.edges]
    graph.edges = [(e[0], last) if e[1] == first else e for e in graph.edges]
    return graph


def load(path, net: nnx.Module):
    return graphs.build(merged(graphs.read(path), "first", "last"), net)


load("net", nnx.Linear(2, 2, rngs=nnx.Rngs(0)))
"""


def test_what_is_made_of_itself_in_ever_new_ways_comes_to_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = list[int]()

    def counted(before: Held, found: Held, *others: Any, **named: Any) -> Held:
        whole = joined(before, found, *others, **named)
        rounds.append(_parts(whole))
        return whole

    monkeypatch.setattr(queries, "joined", counted)
    (tmp_path / "main.py").write_text(_REBUILT)
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert rounds
    assert max(rounds) < 2_000  # 9,619 without a bound, and one such line more had no end


def _parts(held: Held) -> int:
    return 1 + sum(map(_parts, held))
