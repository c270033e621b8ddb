"""A change of one file costs no more where more files are known together with it."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.analysis.callgraph.called_functions import Spellings
from nnx_migrate.analysis.facts import Analysis
from nnx_migrate.analysis.sites.tree import Tree
from nnx_migrate.analysis.symbols.class_hierarchy import Hierarchy
from nnx_migrate.analysis.symbols.program import Project
from nnx_migrate.engine import run as engine
from nnx_migrate.rewrite.classes.edits import ClassEdits, class_edits
from nnx_migrate.sources.configuration import Configuration
from tests.perf.test_ratios import USES_NNX

_COMMON = """\
from flax import nnx


class Shared(nnx.Module):
    def __call__(self, x):
        return x
"""
_OTHER = """\
from common import Shared
from flax import nnx


class Layer(Shared):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)


def forward(model, x):
    return model(x)


forward(Layer(nnx.Rngs(0)), 1)
"""


#: Imports the changed file, for a function that the others do not name.
_HUB = f"import changed\n{_COMMON}\n\ndef trained():\n    return changed.main()\n"


@pytest.mark.parametrize("common", [_COMMON, _HUB], ids=["apart", "through a hub"])
def test_after_an_edit_only_what_may_be_new_is_looked_up(
    common: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = _looked_up(tmp_path / "many", common, 64, monkeypatch)
    assert many == _looked_up(tmp_path / "few", common, 4, monkeypatch)


def _looked_up(folder: Path, common: str, others: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """How often it is found out, after an edit, what a name, a class or a call means."""
    folder.mkdir()
    (folder / "common.py").write_text(common)
    changed = USES_NNX.replace("{number}", "")
    (folder / "changed.py").write_text(f"from common import Shared\n{changed}")
    for number in range(others):
        (folder / f"other{number}.py").write_text(_OTHER)
    looks = [0]
    after_an_edit = [False]

    def counted(function: Any) -> Any:
        def call(*args: Any) -> Any:
            looks[0] += after_an_edit[0]
            return function(*args)

        return call

    with monkeypatch.context() as patch:
        for kind, name in (
            (Project, "_find_bindings"),
            (Hierarchy, "_compute"),
            (Spellings, "meant"),
        ):
            patch.setattr(kind, name, counted(getattr(kind, name)))
        replacing = Analysis.replacing

        def noted(analysis: Analysis, *indexes: Any) -> Analysis:
            after_an_edit[0] = True
            return replacing(analysis, *indexes)

        patch.setattr(Analysis, "replacing", noted)
        [changed_file] = [
            result
            for result in engine.run([folder], Configuration(), write=None, jobs=1).results
            if result.path.name == "changed.py"
        ]
    assert changed_file.after != changed_file.before
    assert looks[0] > 10
    return looks[0]


_TWO_NAMES = """\
from common import Shared
from flax import nnx


class Tied(Shared):
    def __init__(self, rngs):
        self.embed = nnx.Embed(2, 2, rngs=rngs)
        self.head = self.embed
"""
_ONE_NAME = """\
from common import Shared
from flax import nnx


class Keeping(Shared):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.rngs = rngs
"""


def test_syntax_trees_are_let_go_before_classes_are_looked_into(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What classes hold twice takes most of the memory of a run, and needs one tree at a time."""
    few, many = (_trees_alive(tmp_path / str(files), files, monkeypatch) for files in (3, 12))
    assert few == many
    assert len(many) == 1


def _trees_alive(folder: Path, files: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many syntax trees there are when the edits of each file with such a class are made."""
    alive: list[int] = []

    def noted(*args: Any) -> ClassEdits:
        alive.append(sum(isinstance(each, Tree) for each in gc.get_objects()))
        return class_edits(*args)

    monkeypatch.setattr("nnx_migrate.engine.projects.redefined.class_edits", noted)
    folder.mkdir()
    (folder / "common.py").write_text(_COMMON)
    (folder / "tied.py").write_text(_TWO_NAMES)
    for number in range(files):
        (folder / f"keeping{number}.py").write_text(_ONE_NAME)
    engine.run([folder], Configuration(), write=None, jobs=1)
    monkeypatch.undo()
    return alive
