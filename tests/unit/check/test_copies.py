"""What a private copy of a tree has, and where it leads."""

from __future__ import annotations

import subprocess
import sys
import types
from pathlib import Path

import pytest

from nnx_migrate.check import copies
from nnx_migrate.check.copies import copy_tree, enter_copy, for_process, moved_entries, private_copy
from nnx_migrate.check.jobs import Column
from nnx_migrate.check.trees import side_at


def files(folder: Path) -> set[str]:
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if _is_file(p)}


def _is_file(path: Path) -> bool:
    return path.is_symlink() or path.is_file()


def project(folder: Path) -> Path:
    for name in (
        "src/pkg/work.py",
        "src/pkg/_version.py",
        "notes.txt",
        "data/rows.bin",
        ".venv/pyvenv.cfg",
        "src/pkg/__pycache__/work.pyc",
        "node_modules/a.js",
    ):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)
    (folder / "link").symlink_to("notes.txt")
    (folder / "packages").symlink_to("src/pkg")
    return folder


def test_without_git_all_but_environments_and_caches_is_copied(tmp_path: Path) -> None:
    assert copy_tree(project(tmp_path / "a"), tmp_path / "b") == ()
    assert files(tmp_path / "b") == {
        "src/pkg/work.py",
        "src/pkg/_version.py",
        "notes.txt",
        "data/rows.bin",
        "link",
        "packages",
    }
    assert (tmp_path / "b" / "link").is_symlink()
    # They are no hard links: what is written to the one is not written to the other.
    (tmp_path / "b" / "notes.txt").write_text("changed")
    assert (tmp_path / "a" / "notes.txt").read_text() == "notes.txt"


def test_a_copy_does_not_copy_itself(tmp_path: Path) -> None:
    copy_tree(project(tmp_path), tmp_path / "copy")
    assert not (tmp_path / "copy" / "copy").exists()


def test_with_git_ignored_folders_are_left_out_and_told(tmp_path: Path) -> None:
    root = project(tmp_path / "a")
    (root / ".gitignore").write_text("data/\n.venv/\n__pycache__/\n_version.py\nnode_modules/\n")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    assert copy_tree(root, tmp_path / "b") == ("data/ (git ignores it)",)
    # A build writes it, and the package imports it.
    assert "src/pkg/_version.py" in files(tmp_path / "b")
    assert not (tmp_path / "b" / "data").exists()
    assert copy_tree(root, tmp_path / "c", ["data"]) == ()
    assert "data/rows.bin" in files(tmp_path / "c")
    # A folder that is ignored as a whole is a project all the same.
    (root / "data" / "work.py").touch()
    assert copy_tree(root / "data", tmp_path / "d") == ()
    assert files(tmp_path / "d") == {"rows.bin", "work.py"}


def test_what_is_too_large_is_left_out_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "_MOST_BYTES_OF_A_FILE", 1000)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "large.bin").write_bytes(bytes(2000))
    (tmp_path / "a" / "small.bin").write_bytes(bytes(20))
    assert copy_tree(tmp_path / "a", tmp_path / "b") == ("large.bin (0 MB)",)
    assert files(tmp_path / "b") == {"small.bin"}
    copy_tree(tmp_path / "a", tmp_path / "c", ["large.bin"])
    assert files(tmp_path / "c") == {"small.bin", "large.bin"}


def test_paths_into_the_users_tree_lead_into_the_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path / "a")
    finder = types.ModuleType("__editable___pkg_finder")
    finder.MAPPING = {"pkg": str(root / "src" / "pkg")}  # type: ignore[attr-defined]
    cls = type("_EditableFinder", (), {"__module__": finder.__name__})
    monkeypatch.setitem(sys.modules, finder.__name__, finder)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, cls])
    library = str(root / ".venv" / "lib")
    monkeypatch.setattr(sys, "path", [str(root / "src"), library, "/usr/lib", ""])
    monkeypatch.chdir(tmp_path)
    side = private_copy(side_at("new", root, ()), tmp_path / "base").side
    column = for_process(Column(side, "tree"), tmp_path / "own")
    enter_copy(column.side)
    own = tmp_path / "own" / "new@tree" / "a"
    assert Path.cwd() == own
    assert sys.path == [str(own / "src"), library, "/usr/lib", ""]
    assert vars(finder)["MAPPING"] == {"pkg": str(own / "src" / "pkg")}
    # What a process left there before it was stopped is gone in the next one.
    (own / "left").touch()
    enter_copy(column.side)
    assert not (own / "left").exists()
    assert moved_entries(column.side, [str(tmp_path / "b")]) == [str(tmp_path / "b")]


def test_a_program_is_copied_with_its_folder(tmp_path: Path) -> None:
    root = project(tmp_path / "a")
    (root / "before.py").write_text("x = 1")
    side = private_copy(side_at("old", root / "before.py", ()), tmp_path / "base").side
    own = for_process(Column(side, "graph"), tmp_path / "own").side
    assert own.root == tmp_path / "own" / "old@graph" / "a" / "before.py"
    assert own.copy_of == tmp_path / "base" / "a"
    assert own.top == own.root.parent
