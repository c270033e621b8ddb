"""What a function computes from other things is not followed for an object that it is given."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.may_alias import Aliases
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration

_STEP = """\
from flax import nnx


class Log:
    def __init__(self):
        self.seen = []

    def add(self, value):
        self.seen.append(value)


@nnx.jit
def step(model: nnx.Linear, x):
    log = Log()
{computed}    layer = model.linear if x else model
    return layer(x), log
"""
_COMPUTED = """\
    a{n} = scale(x, width=a{before})
    b{n}, c{n} = (a{n}.reshape(2, 2) + 1, helper(a{n})[0])
    log.add(c{n})
"""


def _followed(folder: Path, lines: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many expressions are followed back to the model of the step."""
    is_rooted = Aliases._is_rooted
    times = 0

    def counted(self: Aliases, scope: Scope, expr: ir.Expr) -> bool:
        nonlocal times
        times += self.parameter == "model"
        return is_rooted(self, scope, expr)

    monkeypatch.setattr(Aliases, "_is_rooted", counted)
    folder.mkdir()
    computed = "".join(_COMPUTED.format(n=n + 1, before=n) for n in range(lines))
    (folder / "models.py").write_text(_STEP.format(computed=computed))
    engine.run([folder], Configuration(), write=None, jobs=1)
    monkeypatch.setattr(Aliases, "_is_rooted", is_rooted)
    return times


def test_what_the_text_shows_to_be_something_else_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = _followed(tmp_path / "few", 2, monkeypatch)
    many = _followed(tmp_path / "many", 60, monkeypatch)
    assert 0 < many == few
