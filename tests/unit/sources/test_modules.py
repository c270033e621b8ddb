"""Dotted names follow the packages; the project is what lies around a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.sources.imports.module_names import import_root, module_name, project_root


@pytest.mark.parametrize(
    ("path", "name", "root"),
    [
        ("src/pkg/__init__.py", "pkg", "src"),
        ("src/pkg/sub/layers.py", "pkg.sub.layers", "src"),
        ("space/portion/mod.py", "portion.mod", "space"),
        ("space/portion/__init__.py", "portion", "space"),
        ("script.py", "script", "."),
        ("07_arrays.py", "07_arrays", "."),
    ],
)
def test_names(tmp_path: Path, path: str, name: str, root: str) -> None:
    for package in ("src/pkg", "src/pkg/sub", "space/portion"):
        (tmp_path / package).mkdir(parents=True, exist_ok=True)
        (tmp_path / package / "__init__.py").touch()
    assert module_name(tmp_path / path) == name
    assert import_root(tmp_path / path) == tmp_path / root


def test_known_roots_end_the_climb(tmp_path: Path) -> None:
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "__init__.py").touch()
    (tmp_path / "a" / "b" / "__init__.py").touch()
    assert module_name(tmp_path / "a" / "b" / "c.py") == "a.b.c"
    assert module_name(tmp_path / "a" / "b" / "c.py", [tmp_path / "a"]) == "b.c"


def test_the_project_is_the_nearest_marked_folder(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "lib" / "src" / "pkg").mkdir(parents=True)
    (tmp_path / "lib" / "pyproject.toml").touch()
    assert project_root(tmp_path / "lib" / "src" / "pkg") == tmp_path / "lib"
    assert project_root(tmp_path / "x.py") == tmp_path


def test_the_way_up_is_that_of_the_folder_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("project/pkg", "other/pkg"):
        (tmp_path / package).mkdir(parents=True)
        (tmp_path / package / "__init__.py").touch()
    (tmp_path / "other" / "pyproject.toml").touch()
    (tmp_path / "other" / "link").symlink_to(tmp_path / "project" / "pkg")
    project = tmp_path / "project"
    monkeypatch.chdir(tmp_path / "other" / "pkg")
    for name in ("../../project/pkg", "../link", f"{tmp_path}/other/../project/pkg"):
        folder = Path(name)
        assert module_name(folder / "a.py") == "pkg.a"
        assert import_root(folder / "a.py") == project
        assert project_root(folder / "a.py") == project_root(folder) == project


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package whose folder `models` holds no `__init__.py`."""
    (tmp_path / "pyproject.toml").touch()
    (tmp_path / "src" / "pkg" / "models").mkdir(parents=True)
    (tmp_path / "src" / "pkg" / "__init__.py").touch()
    (tmp_path / "src" / "pkg" / "models" / "lam.py").write_text("import flax\n")
    return tmp_path / "src" / "pkg" / "models"


def test_a_folder_in_a_package_is_part_of_it(package: Path) -> None:
    (package / "use.py").write_text("from pkg.models.lam import Lam\nfrom .lam import Lam\n")
    (package / "deep" / "deeper").mkdir(parents=True)
    (package / "deep" / "deeper" / "__init__.py").touch()
    assert module_name(package / "lam.py") == "pkg.models.lam"
    assert import_root(package / "lam.py") == package.parents[1]
    assert module_name(package / "deep" / "a.py") == "pkg.models.deep.a"
    assert module_name(package / "deep" / "deeper" / "a.py") == "pkg.models.deep.deeper.a"
    assert module_name(package / "__init__.py") == "pkg.models"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("train.py", "import lam\n"),
        ("train.py", "from lam import Lam\n"),
        ("train.ipynb", '{"cells": [{"source": ["from lam import Lam\\n", "Lam()"]}]}'),
    ],
)
def test_a_folder_of_scripts_is_not(package: Path, name: str, text: str) -> None:
    (package / name).write_text(text)
    assert module_name(package / "lam.py") == "lam"
    assert import_root(package / "lam.py") == package


def test_a_folder_is_looked_at_anew_once_a_file_in_it_is_edited(package: Path) -> None:
    train = package / "train.py"
    train.write_text("import flax\n")
    assert module_name(package / "lam.py") == "pkg.models.lam"
    # In its place: the folder itself does not change.
    train.write_text("import lam\n")
    assert module_name(package / "lam.py") == "lam"


def test_a_library_beside_which_a_file_is_named_is_meant_itself(package: Path) -> None:
    (package / "jax.py").touch()
    (package / "logging.py").touch()
    (package / "use.py").write_text("import jax\nimport logging\n")
    assert module_name(package / "jax.py") == "pkg.models.jax"


def test_what_no_import_can_name_is_part_of_nothing(package: Path) -> None:
    (package.parent / "old-models").mkdir()
    assert module_name(package.parent / "old-models" / "lam.py") == "lam"


def test_a_project_in_a_package_is_its_own(package: Path) -> None:
    (package / ".git").mkdir()
    assert module_name(package / "lam.py") == "lam"
    assert module_name(package / "lam.py", [package]) == "lam"
