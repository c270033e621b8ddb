"""What can be told from definitions is not asked of the evaluator, which goes through callers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.analysis import facts
from nnx_migrate.analysis.domain.fixpoint import Fixpoint
from nnx_migrate.analysis.domain.values import Instance, Values
from nnx_migrate.analysis.points_to.shared_references import SharingFinder
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration

_TRAIN = """\
import jax
from flax import nnx
from lib import operators

model = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
pair = operators.both(operators.run_all, 1.0)


@jax.jit
def step(x):
    return x * 2
"""
_BOTH = """\
def both(f, x):
    return f, [f(x)]
"""
_OPERATOR = """

class Operator{n}:
    def __add__(self, other):
        return Operator{n}(self.value + other.value)

    def __init__(self, value):
        self.value = value


def run{n}(x):
    return (Operator{n}(x) + Operator{n}(x)).value
"""


def _computed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, many: int) -> int:
    """How many answers are computed for a file that sees functions over many operators."""
    computed = []
    settle = Fixpoint._settle

    def noted(self: Fixpoint, question: Any, depth: int) -> Any:
        computed.append(1)
        return settle(self, question, depth)

    monkeypatch.setattr(Fixpoint, "_settle", noted)
    folder = tmp_path / str(many)
    (folder / "lib").mkdir(parents=True)
    (folder / "train.py").write_text(_TRAIN)
    run_all = f"\n\ndef run_all(x):\n    return {' + '.join(f'run{n}(x)' for n in range(many))}\n"
    operators = "".join(_OPERATOR.replace("{n}", str(n)) for n in range(many))
    (folder / "lib" / "operators.py").write_text(_BOTH + operators + run_all)
    engine.run([folder], Configuration(), write=None, jobs=1)
    monkeypatch.undo()
    return len(computed)


def test_names_that_are_functions_lead_to_no_operators(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few, many = (_computed(tmp_path, monkeypatch, n) for n in (2, 40))
    assert many == few


_TIED = """\
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, rngs):
        self.embed = nnx.Linear(2, 2, rngs=rngs)
        self.head = self.embed

"""
_PLAIN = """
class Plain{n}(nnx.Module):
    def __init__(self, rngs):
        self.inner = nnx.Linear(2, 2, rngs=rngs)
        self.width = self.inner.kernel.shape[0]

"""


def test_only_classes_that_store_something_again_are_asked_what_they_hold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[str] = set()

    class Asked(SharingFinder):
        def of(self, values: Values) -> str:
            asked.update(
                v.class_name
                for v in values
                if isinstance(v, Instance) and v == Instance(v.class_name)
            )
            return super().of(values)

    monkeypatch.setattr(facts, "SharingFinder", Asked)
    plain = "".join(_PLAIN.replace("{n}", str(n)) for n in range(20))
    (tmp_path / "models.py").write_text(f"{_TIED}{plain}")
    engine.run([tmp_path], Configuration(), write=None, jobs=1)
    assert asked == {"models:Tied:4"}
