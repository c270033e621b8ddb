"""Cells are shown as code, line by line of the file."""

from __future__ import annotations

import json
from pathlib import Path

from nnx_migrate.core.findings import CellPlace, FileResult, FileStatus, Finding, Outcome
from nnx_migrate.report.html.file_pages import file_page
from nnx_migrate.report.html.lines import split_lines
from nnx_migrate.report.html.notebook import notebook_lines


def notebook(*cells: tuple[str, str]) -> str:
    """A notebook as Jupyter writes it."""
    written = [
        {"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)}
        for kind, text in cells
    ]
    return json.dumps({"cells": written, "nbformat": 4}, indent=1, ensure_ascii=False) + "\n"


def test_strings_of_cells_are_their_text() -> None:
    text = notebook(("markdown", '# A \\ b\n"quoted"'), ("code", 'x = "\\n\té"\n\ny = 1'))
    lines = split_lines(text)
    read = notebook_lines(lines)
    assert len(read.shown) == len(read.code) == len(lines)
    shown = [line.text for line in read.shown]
    assert [line for line in shown if line in {"# A \\ b", '"quoted"'}] == ["# A \\ b", '"quoted"']
    assert [line.text for line in read.code if line.text] == ['x = "\\n\té"', "y = 1"]
    assert '   "cell_type": "code",' in shown


def test_what_is_laid_out_otherwise_stays_as_it_is() -> None:
    lines = split_lines('{"cells": [{"cell_type": "code", "source": ["x = 1\\n"]}]}\n')
    assert notebook_lines(lines).shown == lines


def test_a_change_of_a_cell_is_one_of_code() -> None:
    before, after = notebook(("code", "x = 1\ny = f(x)")), notebook(("code", "x = 1\ny = g(x)\nz"))
    finding = Finding("r", 9, 1, Outcome.REWRITTEN, "m", (), CellPlace(1, 2, 1))
    result = FileResult(
        Path("a.ipynb"), FileStatus.CHANGED, before.encode(), after.encode(), (finding,)
    )
    page = file_page(result, "a.ipynb", None, lambda path, line: [])
    (piece,) = page.body["pieces"]
    changed = [row for row in piece["rows"] if len(row) == 2]
    assert changed == [[["y = f(x)", "_4M1_3"], ["y = g(x)", "_4M1_3"]], [0, "z"]]
    assert page.body["findings"][0]["place"] == "cell 1, line 2, column 1"
    assert page.entry["pieces"][0]["title"] == "Cell 1, line 2"
    # Nothing of the JSON around the cell is left, and its lines are counted from its first.
    assert piece["rows"][0] == {"cell": 1, "old": 1, "new": 1, "at": 7}
    assert piece["rows"][1] == [["x = 1", "_4n1"]]
    assert len(piece["rows"]) == 4
    assert piece["above"] == piece["below"] == []


def test_each_cell_of_a_hunk_counts_its_own_lines() -> None:
    before = notebook(("code", "a = f(x)"), ("markdown", "# Title"), ("code", "b = f(x)"))
    after = before.replace("f(x)", "g(x)")
    result = FileResult(Path("a.ipynb"), FileStatus.CHANGED, before.encode(), after.encode())
    page = file_page(result, "a.ipynb", None, lambda path, line: [])
    shown = [row for piece in page.body["pieces"] for row in piece["rows"]]
    heads = [row for row in shown if isinstance(row, dict)]
    assert [(head["cell"], head["old"], head["new"]) for head in heads] == [(1, 1, 1), (3, 1, 1)]
    lines = before.splitlines()
    assert [lines[head["at"] - 1].strip() for head in heads] == ['"a = f(x)"', '"b = f(x)"']
    assert [row for row in shown if isinstance(row, list) and len(row) == 1] == []
