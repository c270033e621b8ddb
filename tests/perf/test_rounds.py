"""How often the sites of a file are decided about while it is rewritten."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import nnx_migrate
from nnx_migrate.core.findings import Outcome
from nnx_migrate.engine import rounds
from nnx_migrate.rewrite.planner import decide

_MODEL = """\
from flax import nnx


class Model(nnx.Module):
    def __init__(self, rngs):
        self.layer = nnx.Linear(2, 2, rngs=rngs)


@nnx.jit
def grow(model):
    model.seen = nnx.Variable(0)


@nnx.jit
def shown(model, x):
    return model.layer(x)
"""
_REWRITTEN = """

@nnx.jit
def step(model, x):
    return model, model.layer(x)


def train(model, x):
    model, y = step(model, x)
    return y


train(Model(nnx.Rngs(0)), 1)
"""


def _outcomes(text: str, folder: Path) -> list[Outcome]:
    (folder / "pyproject.toml").write_text("")
    result = nnx_migrate.migrate_text(text, folder / "steps.py")
    return [each.outcome for each in result.findings]


def _counted(patch: pytest.MonkeyPatch, module: Any, name: str) -> list[Any]:
    seen: list[Any] = []
    original = getattr(module, name)

    def noting(*args: Any, **named: Any) -> Any:
        found = original(*args, **named)
        seen.append((args, found))
        return found

    patch.setattr(module, name, noting)
    return seen


def test_no_round_follows_the_pins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    planned = _counted(monkeypatch, rounds, "plan_round")
    assert _outcomes(_MODEL, tmp_path) == [Outcome.PINNED]
    assert len(planned) == 1


def test_another_round_looks_again_where_a_pin_is_none_to_the_next_reader(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    planned = _counted(monkeypatch, rounds, "plan_round")
    monkeypatch.setattr(rounds, "without_mode", lambda context: 2 * context.finder.sites)
    assert _outcomes(_MODEL, tmp_path) == [Outcome.PINNED]
    assert len(planned) == 2


def test_what_the_mode_makes_no_difference_to_is_decided_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = _counted(monkeypatch, decide, "decided")
    outcomes = _outcomes(_MODEL + _REWRITTEN, tmp_path)
    assert sorted(each.name for each in outcomes) == ["PINNED", "REWRITTEN"]
    functions = [getattr(site.function, "name", "") for (_, _, site), _ in asked]
    rounds_of = {name: functions.count(name) for name in ("grow", "shown")}
    assert rounds_of["grow"] == 2 * rounds_of["shown"] > 0
