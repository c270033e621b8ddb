"""What changed between two trees, and is no case of any kind."""

from __future__ import annotations

import json
from pathlib import Path

from nnx_migrate.check.cases.coverage import files_not_compared, files_not_imported
from nnx_migrate.check.cases.touched import Touched, touched_functions
from nnx_migrate.check.jobs import Side


def _notebook(code: str, output: str) -> str:
    cell = {"cell_type": "code", "source": [code], "outputs": [{"text": output}]}
    return json.dumps({"cells": [cell, {"cell_type": "markdown", "source": [output]}]})


def _sides(folder: Path, old: dict[str, str], new: dict[str, str]) -> tuple[Side, Side]:
    for side, files in (("old", old), ("new", new)):
        (folder / side).mkdir()
        for name, text in files.items():
            file = folder / side / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    one, two = (Side(name, folder / name, (folder / name,)) for name in ("old", "new"))
    return one, two


def test_files_that_are_gone_are_told_and_where_they_may_be(tmp_path: Path) -> None:
    old = {"gone.py": "A = 1\n", "moved.py": "B = 1\n", "lib/edited.py": "C = 1\n", "a.py": ""}
    new = {"steps/moved_too.py": "B = 1\n", "lib/inner/edited.py": "C = 2\n", "a.py": ""}
    sides = _sides(tmp_path, old, new)
    assert list(files_not_compared(*sides)) == [
        "gone.py is not in NEW",
        "lib/edited.py is not in NEW; it may have moved to lib/inner/edited.py",
        "moved.py is not in NEW; it may have moved to steps/moved_too.py",
    ]


def test_what_is_new_hidden_or_of_an_environment_is_no_gap(tmp_path: Path) -> None:
    old = {".hidden/a.py": "A = 1\n", "venv/lib/b.py": "", "__pycache__/c.py": "", "d.txt": "1"}
    sides = _sides(tmp_path, old, {"new.py": "B = 1\n"})
    assert list(files_not_compared(*sides)) == []


def test_a_notebook_counts_where_its_code_differs(tmp_path: Path) -> None:
    old = {"run.ipynb": _notebook("a = 1", "1"), "tour.ipynb": _notebook("a = 1", "1")}
    new = {"run.ipynb": _notebook("a = 1", "2"), "tour.ipynb": _notebook("a = 2", "1")}
    sides = _sides(tmp_path, old, new)
    assert list(files_not_compared(*sides)) == ["tour.ipynb differs, and notebooks are not run"]


def test_files_that_no_case_imports_are_told(tmp_path: Path) -> None:
    old = {"a.py": "A = 1\n", "b.py": "B = 1\n", "broken.py": "A = 1\n"}
    new = {"a.py": "A = 2\n", "b.py": "B = 2\n", "broken.py": "A = (\n"}
    touched = touched_functions(*_sides(tmp_path, old, new))
    assert [each.path for each in touched] == ["a.py", "b.py", "broken.py"]
    # What cannot be compared is told in words of its own.
    assert list(files_not_imported(touched, {"a.py"})) == ["b.py differs, and no case imports it"]
    assert list(files_not_imported([Touched("a.py")], {"a.py"})) == []
