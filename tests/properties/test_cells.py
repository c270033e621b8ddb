"""Golden programs cut into cells get what they get as scripts."""

from __future__ import annotations

import ast
import random
from collections import Counter
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.engine.run import run_text
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.documents.notebook import read_cells
from tests.unit.sources.documents.notebooks import code, notebook, written

GOLDEN = Path(__file__).parents[2] / "golden"
PROGRAMS = sorted(
    path
    for path in GOLDEN.glob("*/*/before.py")
    if not (path.read_bytes().startswith(b"\xef\xbb\xbf") or b"\r" in path.read_bytes())
)[::9]


def cut(text: str, chance: random.Random) -> list[str]:
    """The text as cells that begin where statements of the module begin."""
    lines = text.split("\n")
    starts = []
    for statement in ast.parse(text).body[1:]:
        decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
        starts.append(min([statement.lineno, *(each.lineno for each in decorators)]))
    cuts = [1, *(line for line in sorted(set(starts)) if chance.random() < 0.6)]
    ends = [*(line - 1 for line in cuts[1:]), len(lines)]
    return ["\n".join(lines[a - 1 : b]).rstrip("\n") for a, b in zip(cuts, ends, strict=True)]


def outcomes(result: FileResult) -> Counter[tuple[str, str]]:
    return Counter((finding.rule, str(finding.outcome)) for finding in result.findings)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: f"{path.parts[-3]}/{path.parts[-2]}")
def test_cells_get_what_the_script_gets(program: Path, tmp_path: Path) -> None:
    cells = cut(program.read_text(encoding="utf-8"), random.Random(0))
    script = "\n".join(cells) + "\n"
    data = written(notebook(*(code(cell) for cell in cells)))
    alone = run_text(script.encode(), tmp_path / "a.py", Configuration())
    found = run_text(data, tmp_path / "a.ipynb", Configuration())
    assert found.status is alone.status
    assert outcomes(found) == outcomes(alone)
    if found.status is FileStatus.CHANGED:
        migrated = read_cells(Path("a.ipynb"), found.after)
        assert list(migrated) == list(range(1, len(cells) + 1))
        ast.parse("\n".join(migrated.values()))
        again = run_text(found.after, tmp_path / "a.ipynb", Configuration())
        assert again.status is FileStatus.UNCHANGED
