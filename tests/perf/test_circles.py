"""Nothing that a run makes refers to itself, so that all of it goes without a search for circles.

Runs do without that search (`workers.uncollected`), so a circle is memory lost until its end.
"""

from __future__ import annotations

import gc
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileStatus
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration

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
    gc.set_debug(gc.DEBUG_SAVEALL)
    gc.collect()
    ours = {type(each).__qualname__ for each in gc.garbage if _is_ours(type(each))}
    assert not ours


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] in {"nnx_migrate", "nnx_codemods"}
