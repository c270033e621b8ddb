"""Many classes below one, and many functions of one name, are gone through once each."""

from __future__ import annotations

import collections
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.analysis.callgraph import called_functions
from nnx_migrate.analysis.interp.field_stores import ClassAttributes
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration

_BASE = """\
from flax import nnx


class Base(nnx.Module):
    width: int

"""
_BELOW = """
class Below{number}(Base):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.width = 2

    def forward(self, x, scale):
        return self.linear(x) * scale
"""
_USE = """
@nnx.jit
def step{number}(model: Base, x):
    layer = model.linear
    return model.forward(x, scale(layer, x)) * model.width
"""


@pytest.mark.parametrize("uses", [2, 12])
def test_each_is_gone_through_once(
    uses: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: collections.Counter[tuple[Any, ...]] = collections.Counter()

    def counted(function: Any, *, of: slice) -> Any:
        def call(*given: Any) -> Any:
            times[function.__name__, *given[of]] += 1
            return function(*given)

        return call

    for name, of in (("_stores_of", slice(1, 3)), ("_find_declared", slice(1, 3))):
        monkeypatch.setattr(ClassAttributes, name, counted(getattr(ClassAttributes, name), of=of))
    at = called_functions._parameters_at
    monkeypatch.setattr(called_functions, "_parameters_at", counted(at, of=slice(0, 2)))
    below = "".join(_BELOW.replace("{number}", str(number)) for number in range(30))
    using = "".join(_USE.replace("{number}", str(number)) for number in range(uses))
    text = f"{_BASE}{below}\ndef scale(layer, x):\n    return x\n\n{using}"
    (tmp_path / "models.py").write_text(text)
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert {key[0] for key in times} >= {"_stores_of", "_find_declared"}
    assert max(times.values()) == 1, times.most_common(3)
