"""Documents through the engine: the edits that are told are those that are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus, apply_source_edits
from nnx_migrate.engine.run import run_text
from nnx_migrate.sources.configuration import Configuration
from tests.unit.sources.documents.notebooks import MODEL, code, notebook, text, written

IMPORTS = "import jax.numpy as jnp\nfrom flax import nnx"
GRADIENT = "grads = nnx.grad(loss)(model)\ngrads['linear']"
PAGE = "".join(f"Tëxt\n```py\n{b}\n```\n" for b in (IMPORTS, MODEL, GRADIENT, GRADIENT))
EXAMPLES = "\n".join(
    f"{'...' if line.startswith(' ') else '>>>'} {line}"
    for line in f"{IMPORTS}\n{MODEL}\n{GRADIENT}".split("\n")
)
IN_CODE = f"{IMPORTS}\n{MODEL}\n{GRADIENT}\n"
CASES = {
    "a.ipynb": written(
        notebook(text("é"), code(IMPORTS), code(MODEL), code(GRADIENT), code("x"), code(GRADIENT))
    ),
    "b.ipynb": written(notebook(code(f"{IMPORTS}\n{MODEL}"), code(GRADIENT)), indent=None),
    "c.md": PAGE.replace("\n", "\r\n").encode("utf-8-sig"),
    "d.md": PAGE.replace("\n", "\r").encode(),
    "e.py": f'"""É\n\n{EXAMPLES}\nshown\n"""\n'.encode(),
    "f.py": f'# -*- coding: latin-1 -*-\n"""É\n{EXAMPLES}\n"""\n{IN_CODE}'.encode("latin-1"),
    "g.py": f'"""\n>>> nnx\n"""\n{IN_CODE}'.encode("utf-8-sig"),
}


def migrated(name: str, data: bytes, folder: Path) -> FileResult:
    return run_text(data, folder / name, Configuration({"docs": True}))


@pytest.mark.parametrize("name", CASES)
def test_edits_are_what_is_made(name: str, tmp_path: Path) -> None:
    result = migrated(name, CASES[name], tmp_path)
    assert result.status is FileStatus.CHANGED
    assert apply_source_edits(result.before, result.edits, result.encoding) == result.after
    for edit in result.edits:
        assert edit.findings
        line = result.before.decode(result.encoding).lstrip("\ufeff").splitlines()[edit.line - 1]
        assert "nnx.grad" in line or edit.column <= len(line) + 1
    rewritten = [f for f in result.findings if f.outcome == "rewritten"]
    assert rewritten
    again = migrated(name, result.after, tmp_path)
    assert again.status is FileStatus.UNCHANGED
    assert {finding.outcome for finding in again.findings} <= {"same"}


def test_cells_that_change_for_different_reasons_are_different_units(tmp_path: Path) -> None:
    data = written(notebook(code(IMPORTS), code(MODEL), code(GRADIENT), code(GRADIENT)))
    result = migrated("a.ipynb", data, tmp_path)
    assert [edit.unit for edit in result.edits] == [0, 1]
    one = apply_source_edits(result.before, result.edits[:1], "utf-8")
    assert one.count(b"nnx.split") == 1
    assert migrated("a.ipynb", one, tmp_path).after.count(b"nnx.split") == 2
