"""A name that Python's own library has, or that nobody imports, brings no file into a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.engine.discover import find
from nnx_migrate.sources.configuration import Configuration

_NNX = """\
from flax import nnx


class Net(nnx.Module):
    def __call__(self, x):
        return x


run = nnx.vmap(lambda model, x: model(x))
"""


def _found(root: Path, name: str, plain: int) -> tuple[int, list[int]]:
    """How many files are planned, and the sizes of the groups that are known together."""
    (root / "core").mkdir(parents=True)
    (root / "pyproject.toml").touch()
    (root / "core" / f"{name}.py").write_text(_NNX)
    (root / "core" / "train.py").write_text(f"import {name}\n{_NNX}")
    for number in range(plain):
        folder = root / f"part{number}"
        folder.mkdir()
        (folder / "a.py").write_text(f"import {name}\n\nx = {name}.SimpleNamespace()\n")
        (folder / "utils.py").write_text("def helper(x):\n    return x\n")
    found = find([root], Configuration({}), 1, lambda *_: None)
    groups = [found.projects.group(task.path) for task in found.tasks]
    return len(found.tasks), sorted(groups.count(group) for group in set(groups))


@pytest.mark.parametrize("name", ["types", "typing", "collections", "os"])
def test_files_beside_do_not_join(tmp_path: Path, name: str) -> None:
    few = _found(tmp_path / "few", name, 2)
    assert few == (2, [2])
    assert _found(tmp_path / "many", name, 60) == few


def _library_beside(root: Path, copies: int) -> tuple[int, list[int]]:
    """The same of two projects, beside folders of a library without `__init__.py`."""
    for name in ("one", "two"):
        (root / name).mkdir(parents=True)
        (root / name / "pyproject.toml").touch()
        text = "import torch\nfrom scipy.linalg import norm\nfrom PIL import Image\n"
        (root / name / "train.py").write_text(text + _NNX)
    for number in range(copies):
        library = root / f"plain{number}" / "jax" / "_src"
        (library / "scipy").mkdir(parents=True)
        (library / "scipy" / "linalg.py").write_text("def norm(x):\n    return x\n")
        (library / "torch.py").write_text("def as_tensor(x):\n    return x\n")
        (root / f"plain{number}" / "PIL").mkdir()
        (root / f"plain{number}" / "PIL" / "Image.py").write_text("def open(x):\n    return x\n")
    found = find([root], Configuration({}), 1, lambda *_: None)
    groups = [found.projects.group(task.path) for task in found.tasks]
    return len(found.tasks), sorted(groups.count(group) for group in set(groups))


def test_a_copy_of_a_library_does_not_join_the_projects_that_import_it(tmp_path: Path) -> None:
    assert _library_beside(tmp_path / "few", 1) == (2, [1, 1])
    assert _library_beside(tmp_path / "many", 20) == (2, [1, 1])
