"""Nothing that a run makes refers to itself, so that all of it goes without a search for circles.

Runs do without that search (`workers.uncollected`), so a circle is memory lost until its end.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import nnx_migrate
from nnx_migrate.core.findings import FileStatus
from nnx_migrate.engine import run as engine
from nnx_migrate.engine.projects.known import KnownFiles
from nnx_migrate.sources.configuration import Configuration
from tests.server import test_after_edits as edited

_GOLDEN = Path(__file__).parents[2] / "golden"
#: A change of several files, a closure, a shared reference, a method of another file.
_CASES = (
    "sown-intermediates/other-file",
    "captured-module/imported",
    "captured-module/out-of-sight",
    "shared-reference/tied-from-outside",
)


@pytest.fixture
def uncollected() -> Iterator[None]:
    """No search for circles meanwhile."""
    gc.collect()
    gc.disable()
    yield
    gc.set_debug(0)
    gc.garbage.clear()
    gc.enable()


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("case", _CASES)
def test_no_circle_is_left_behind(case: str, tmp_path: Path) -> None:
    source = _GOLDEN / case
    before = source / "before"
    if before.is_dir():
        shutil.copytree(before, tmp_path / "project")
    else:
        (tmp_path / "project").mkdir()
        shutil.copy(source / "before.py", tmp_path / "project")
    result = engine.run([tmp_path / "project"], Configuration(), write=None, jobs=1)
    assert any(file.status is FileStatus.CHANGED for file in result.results)
    assert not _circles()


@pytest.mark.usefixtures("uncollected")
def test_no_circle_is_left_behind_when_other_files_feel_an_edit(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "tour"\n')
    (tmp_path / "lib.py").write_text(edited.LIB)
    known = KnownFiles(edited=1)
    method = edited.MAIN.replace(*edited.FELT["a method is renamed"])
    for text in (edited.MAIN, method, edited.MAIN):
        nnx_migrate.migrate_text(text, tmp_path / "main.py", known=known)
    assert edited.anew(known) == 3
    assert not _circles()


def test_nothing_is_searched_for_circles_while_a_text_is_migrated(tmp_path: Path) -> None:
    text = "".join(f"def f{n}(x):\n    return [x, {n}]\n\n\n" for n in range(600))
    searched: list[str] = []

    def note(phase: str, _: object) -> None:
        searched.append(phase)

    gc.callbacks.append(note)
    try:
        nnx_migrate.migrate_text("from flax import nnx\n" + text, tmp_path / "main.py")
    finally:
        gc.callbacks.remove(note)
    assert gc.isenabled()
    assert len(searched) <= 4


def _circles() -> set[str]:
    """The kinds of our objects that only a search frees."""
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    return {type(each).__qualname__ for each in gc.garbage if _is_ours(type(each))}


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in {"nnx_migrate", "nnx_codemods"}
