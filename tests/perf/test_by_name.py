"""Attributes under computed names, and what methods give back, are not found anew for each use."""

from __future__ import annotations

import collections
from typing import Any

import pytest

from nnx_migrate.analysis.callgraph.dunder_dispatch import lookups_run
from nnx_migrate.analysis.domain.values import FunctionValue, Instance, Located, Scope
from nnx_migrate.analysis.effects import transfer
from nnx_migrate.analysis.effects.condensed import Sorts
from nnx_migrate.analysis.effects.effect import Done, Effects
from nnx_migrate.analysis.effects.summary import EffectFinder
from nnx_migrate.analysis.effects.transfer import Tracker
from nnx_migrate.analysis.interp import library_calls
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.interp.stores import absent, class_stores, computed_names
from tests.unit.analysis.asking import analysis_of, scope_named, values_of


def _counting(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> list[Any]:
    """The first arguments, but for the evaluator, of each call of a function of a module."""
    calls: list[Any] = []
    function = getattr(module, name)

    def noted(evaluator: Any, *given: Any) -> Any:
        calls.append(given[0])
        return function(evaluator, *given)

    monkeypatch.setattr(module, name, noted)
    return calls


_COMPUTED = """\
from flax import nnx


class Above(nnx.Module):
    def __init__(self, names, rngs):
        for name in names:
            setattr(self, name, nnx.Linear(2, 2, rngs=rngs))


class Net(Above):
    pass


def run(net: Net):
"""


@pytest.mark.parametrize("names", [2, 20])
def test_what_stores_by_computed_names_is_looked_for_once(
    names: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = _counting(monkeypatch, computed_names, "_found_stores")
    analysis = analysis_of(_COMPUTED + "".join(f"    a{n} = net.part{n}\n" for n in range(names)))
    for n in range(names):
        assert any("nnx.Linear" in str(value) for value in values_of(analysis, f"a{n}", "run"))
    times = collections.Counter(calls)
    assert any("Above" in each for each in times)
    assert max(times.values()) == 1, times


_BY_CLASS = """\
from flax import nnx


class Net(nnx.Module):
    @classmethod
    def prepare(cls, rngs):
        cls.shared = nnx.Linear(2, 2, rngs=rngs)


def run(net: Net):
"""


@pytest.mark.parametrize("reads", [2, 20])
def test_what_class_methods_store_is_looked_for_once_for_all_names(
    reads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = _counting(monkeypatch, class_stores, "_find_by_class_methods")
    read = (f"    a{n} = net.part{n}\n    b{n} = net.shared\n" for n in range(reads))
    analysis = analysis_of(_BY_CLASS + "".join(read))
    for n in range(reads):
        values_of(analysis, f"a{n}", "run")
        assert {str(value) for value in values_of(analysis, f"b{n}", "run")}
        assert any("nnx.Linear" in str(value) for value in values_of(analysis, f"b{n}", "run"))
    assert 0 < len(looks) == len(set(looks))


_LACKING = """\
from flax import nnx


class One(nnx.Module):
    def __init__(self, rngs):
        self.one = nnx.Linear(2, 2, rngs=rngs)


class Other(nnx.Module):
    def __init__(self, rngs):
        self.other = nnx.Linear(2, 2, rngs=rngs)


def run(net: One | Other):
"""
_PUTTING = """\
def put(holder, name):
    setattr(holder, name, 1)


put(ValueError(), "text")
"""


@pytest.mark.parametrize("names", [2, 20])
def test_whether_any_name_may_be_set_is_found_once(
    names: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = _counting(monkeypatch, absent, "_may_set")
    read = (f"    a{n} = net.part{n}\n" for n in range(names))
    analysis = analysis_of({"main.py": _LACKING + "".join(read), "put.py": _PUTTING})
    for n in range(names):
        values_of(analysis, f"a{n}", "run")
    assert len(calls) == 2  # of each class


_ELSEWHERE = "class Proxy:\n    def __getattr__(self, name):\n        return name\n\n\n"


def test_no_stores_are_looked_for_where_lookups_run_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    original = Evaluator.stored

    def noting(self: Evaluator, class_name: str, name: str) -> list[Located]:
        asked.append(class_name)
        return original(self, class_name, name)

    monkeypatch.setattr(Evaluator, "stored", noting)
    evaluator = analysis_of(_ELSEWHERE + _LACKING + "    pass\n").evaluator
    assert evaluator.project.class_of("main:One:9") is not None
    assert not list(lookups_run(evaluator, Instance("main:One:9"), "part"))
    assert not asked
    assert [each.function for each in lookups_run(evaluator, Instance("main:Proxy:1"), "part")]
    assert asked


_ANY = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def one(self):
        return 1

    def other(self):
        return 2


def run(net: Net, name):
"""


@pytest.mark.parametrize("reads", [2, 20])
def test_what_an_object_has_under_any_name_is_found_once(
    reads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = _counting(monkeypatch, library_calls, "stored_by_any_name")
    read = (f"    a{n} = getattr(net, name + '{n}')\n" for n in range(reads))
    analysis = analysis_of(_ANY + "".join(read))
    for n in range(reads):
        found = values_of(analysis, f"a{n}", "run")
        assert sum(isinstance(value, FunctionValue) for value in found) == 2
    assert len(calls) == 1


_GIVING = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def itself(self):
        self.count = 1
        return self

    def run(self, x):
        return self.itself().linear(x) + self.other(x).sum()

    def other(self, x):
        self.scale = 2
        return x
"""


def test_what_a_method_gives_back_is_told_without_what_it_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked: list[Scope] = []
    placed = Tracker.placed

    def noted(self: Tracker) -> Any:
        looked.append(self.scope)
        return placed(self)

    monkeypatch.setattr(Tracker, "placed", noted)
    analysis = analysis_of(_GIVING)
    effects = analysis.effects
    assert effects.gives_back(scope_named(analysis, "itself"), "self")
    assert not effects.gives_back(scope_named(analysis, "other"), "self")
    assert not analysis.uses.of(scope_named(analysis, "run"), "self")
    assert not looked
    for name in ("itself", "other", "run"):
        scope = scope_named(analysis, name)
        told = any(effect.way == "returned" for effect in effects.of(scope, "self"))
        assert told is effects.gives_back(scope, "self")
    assert looked


_HEIRS = """\
from flax import nnx


class Base(nnx.Module):
    def one(self):
        self.count = 1

    def other(self):
        return 2

"""
_HEIR = """
class Heir{n}(Base):
    pass

"""


def test_a_method_is_asked_once_where_code_computes_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    of_own_method = EffectFinder.of_own_method

    def noted(self: EffectFinder, method: Scope) -> Done:
        asked.append(self.project.function(method).name)
        return of_own_method(self, method)

    monkeypatch.setattr(EffectFinder, "of_own_method", noted)
    heirs = "".join(_HEIR.replace("{n}", str(n)) for n in range(8))
    types = " | ".join(f"Heir{n}" for n in range(8))
    run = f"\ndef run(net: {types}, name):\n    return getattr(net, name)\n"
    analysis = analysis_of(_HEIRS + heirs + run)
    found = analysis.effects.of(scope_named(analysis, "run"), "net")
    assert "structure" in {effect.kind for effect in found}
    assert sorted(asked) == ["one", "other"]


_AGAIN = """\
from flax import nnx


def fill(net: nnx.Linear, n):
    net.count = n
    fill(net, n - 1)
"""


def test_effects_that_are_what_they_were_are_not_condensed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    looked_at: list[Effects] = []

    def noted(effects: Effects, module: str, sorts: Sorts) -> Effects:
        looked_at.append(effects)
        return effects

    monkeypatch.setattr(transfer, "condensed", noted)
    monkeypatch.setattr(transfer, "ENOUGH", 0)
    rounds: list[Scope] = []
    effects_of = Tracker.effects

    def counted(self: Tracker) -> Any:
        rounds.append(self.scope)
        return effects_of(self)

    monkeypatch.setattr(Tracker, "effects", counted)
    analysis = analysis_of(_AGAIN)
    assert analysis.effects.of(scope_named(analysis, "fill"), "net")
    assert len(rounds) > len(looked_at) == 1
