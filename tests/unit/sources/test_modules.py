"""Dotted names follow the packages; the project is what lies around a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.sources.modules import import_root, module_name, project_root


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
