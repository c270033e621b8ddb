"""Files that never say nnx are found through the files that do, and only those that matter."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nnx_migrate.sources.imports.fringe import Fringe
from nnx_migrate.sources.imports.scan import (
    Import,
    imported_modules,
    scan_classes,
    scan_imports,
    written_imports,
)
from nnx_migrate.sources.walk.discovery import Walk


def fringe_of(root: Path, files: dict[str, str], jobs: int = 1) -> set[str]:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    walk, fringe = Walk([root]), Fringe(jobs)
    for candidate in walk:
        fringe.add(candidate.path)
    fringe.meet(walk.others)
    return {found.path.relative_to(root).as_posix() for found, _ in fringe.find()}


LAYERS = "from flax import nnx\nclass Net(nnx.Module):\n    pass\n"


def test_subclasses_of_subclasses_through_reexports(tmp_path: Path) -> None:
    found = fringe_of(
        tmp_path,
        {
            "src/pkg/__init__.py": "from .layers import Net as Base\n",
            "src/pkg/layers.py": LAYERS,
            "src/pkg/big.py": "from . import (\n  Base,  # base\n)\nclass Big(Base):\n    x = 1\n",
            "src/pkg/bigger.py": "from pkg.big import Big\nclass Bigger(Big):\n    pass\n",
            "src/pkg/unrelated.py": "import os\nclass Other(dict):\n    pass\n",
            "scripts/use.py": "from pkg.bigger import Bigger\n",
            "scripts/star.py": "from pkg import *\n",
            "scripts/plain.py": "import pkg.unrelated\n",
        },
    )
    assert found == {
        "src/pkg/__init__.py",
        "src/pkg/big.py",
        "src/pkg/bigger.py",
        "scripts/use.py",
        "scripts/star.py",
    }


def test_what_an_imported_file_imports(tmp_path: Path) -> None:
    found = fringe_of(
        tmp_path,
        {
            "pkg/__init__.py": "",
            "pkg/net.py": "from . import attention\n" + LAYERS,
            "pkg/attention.py": "from .kernels import ring\n",
            "pkg/kernels/__init__.py": "",
            "pkg/kernels/ring.py": "from . import masks as lib\nMask = lib.Mask\n",
            "pkg/kernels/masks.py": "class Mask(tuple):\n    pass\n",
            "pkg/kernels/test_masks.py": "from . import masks\n",
        },
    )
    assert {"pkg/attention.py", "pkg/kernels/ring.py", "pkg/kernels/masks.py"} <= found
    assert "pkg/kernels/test_masks.py" not in found


def test_transforms_taken_from_the_projects_own_module(tmp_path: Path) -> None:
    found = fringe_of(
        tmp_path,
        {
            "compat.py": "from flax.nnx import jit, Module\n",
            "reexport.py": "from compat import jit as fast\n",
            "user.py": "from reexport import fast\n",
            "bystander.py": "from reexport import something_else\n",
        },
    )
    assert found == {"reexport.py", "user.py"}


def test_what_candidates_import_comes_along_with_its_bases(tmp_path: Path) -> None:
    found = fringe_of(
        tmp_path,
        {
            "net.py": "from flax import nnx\nfrom mixins import Mixin\nimport effects\n",
            "mixins.py": "from roots import Root\nimport far\nclass Mixin(Root): pass\n",
            "roots.py": "class Root: pass\n",
            "effects.py": "def bump(m): m.count.value += 1\n",
            "far.py": "x = 1\n",
        },
    )
    assert found == {"mixins.py", "roots.py", "effects.py"}


def test_a_tree_without_candidates_reads_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.py").write_text("import b\n")
    walk = Walk([tmp_path])
    assert list(walk) == []
    monkeypatch.setattr("nnx_migrate.sources.imports.importers.read_file", None)
    fringe = Fringe()
    fringe.meet(walk.others)
    assert list(fringe.find()) == []


@pytest.mark.parametrize("jobs", [1, 3])
def test_loose_scripts_are_followed_however_many_there_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int
) -> None:
    monkeypatch.setattr("nnx_migrate.sources.walk.scanning._WORTH_A_PROCESS", 5)
    files = {"a/step0.py": LAYERS, "b/ü.py": "import step3, os\n", "a/step10.py": "import steps\n"}
    for number in range(1, 10):
        text = f"from step{number - 1} import Net as Net\n"
        files[f"{'ab'[number % 2]}/step{number}.py"] = text
    expected = {name for name in files if name not in ("a/step0.py", "a/step10.py")}
    assert fringe_of(tmp_path, files, jobs) == expected


@pytest.mark.parametrize("source", [["x = 1\n", "from step import Net"], "x = 1\nimport step\n"])
def test_notebooks_that_import_candidates(tmp_path: Path, source: str | list[str]) -> None:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "source": source}
    notebook = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    files = {"step.py": LAYERS, "lines.ipynb": json.dumps(notebook, indent=1)}
    files["one_line.ipynb"] = json.dumps(notebook)
    assert fringe_of(tmp_path, files) == {"lines.ipynb", "one_line.ipynb"}


def test_ignored_files_are_not_in_the_fringe(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("generated.py\n")
    found = fringe_of(
        tmp_path,
        {"net.py": LAYERS, "generated.py": "from net import Net\n", "b.py": "import net\n"},
    )
    assert found == {"b.py"}


@pytest.mark.parametrize(
    ("line", "imports"),
    [
        ("import a.b as c, d", [("a.b", None, "c"), ("d", None, "d")]),
        ("import a.b", [("a.b", None, "a")]),
        ("from . import x", [("top.pkg", "x", "x")]),
        ("from ..up import x as y", [("top.up", "x", "y")]),
        ("    from a import (b,\n  c as d, # e\n)", [("a", "b", "b"), ("a", "c", "d")]),
        ("from a import b, \\\n    c", [("a", "b", "b"), ("a", "c", "c")]),
        ("from a import*", [("a", "*", "*")]),
        ("x = 1  # import a", []),
        ("important = 1", []),
    ],
)
def test_import_lines(line: str, imports: list[tuple[str, str | None, str]]) -> None:
    for data in (line, f"x = 1\r\n{line}\r\n", f"x = 1\n\n{line}\n"):
        found = list(scan_imports(data.encode(), "top.pkg.mod", package=False))
        assert found == [Import(*each) for each in imports]
        written = list(written_imports(data.encode()))
        assert imported_modules(data.encode()) == {(each.dots, each.module) for each in written}
        assert [each.bound for each in written] == [bound for _, _, bound in imports]


def test_class_lines() -> None:
    data = b"class A(B, c.D[int],\n   metaclass=M): pass\nclass E: pass\nclass F[T](G): pass\n"
    assert list(scan_classes(data)) == [("A", ["B", "c", "metaclass"]), ("F", ["G"])]
