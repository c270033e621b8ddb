"""What functions do is joined as sets, and looked at one by one only where calls change it."""

from __future__ import annotations

from typing import Any

import pytest

from nnx_migrate.analysis.effects.transfer import Tracker
from tests.unit.analysis.asking import analysis_of, scope_named

_FILLING = """\
from flax import nnx


class Net(nnx.Module):
    def fill(self, x):
{writes}

    def again(self, x):
        self.fill(x)
        other(self, x)

    def tested(self, x, really=False):
        if really:
            self.again(x)

    def counted(self, x):
        self.sow(nnx.Intermediate, "x", x)
        keep(self.again)
        return self


def other(net: Net, x):
    net.fill(x)
    net.tested(x, True)
    net.counted(x)
    return vars(net)


def keep(run):
    run(1)
    KEPT.append(run)


KEPT = []
"""


def _filling(writes: int) -> str:
    return _FILLING.format(writes="".join(f"        self.a{n} = x\n" for n in range(writes)))


def _told_apart(writes: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many effects a function finds one by one that calls others with so many."""
    analysis = analysis_of(_filling(writes))
    again = scope_named(analysis, "again")
    placed = Tracker.placed
    found = 0

    def counted(self: Tracker) -> Any:
        nonlocal found
        for each in placed(self):
            found += self.scope == again
            yield each

    monkeypatch.setattr(Tracker, "placed", counted)
    assert len(analysis.effects.of(again, "self")) >= writes
    monkeypatch.setattr(Tracker, "placed", placed)
    return found


def test_what_calls_leave_as_it_is_is_not_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    few, many = _told_apart(3, monkeypatch), _told_apart(60, monkeypatch)
    assert few == many


@pytest.mark.parametrize("name", ["again", "tested", "counted", "other"])
def test_it_is_what_is_found_one_by_one(name: str) -> None:
    analysis = analysis_of(_filling(3))
    scope = scope_named(analysis, name)
    parameter = "net" if name == "other" else "self"
    tracker = Tracker(analysis.effects, scope, parameter)
    assert tracker.all() == frozenset(tracker.effects()) != frozenset()
