"""The walk takes what is the project's, once, and says what it does not take."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.sources.walk import discovery
from nnx_migrate.sources.walk.discovery import Walk
from nnx_migrate.sources.walk.ignores import PatternFile, read_patterns
from nnx_migrate.sources.walk.scanning import read_file

NNX = "from flax import nnx\n"


def grow(root: Path, *names: str, text: str = NNX) -> None:
    for name in names:
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


def names(walk: Walk, root: Path) -> list[str]:
    return [candidate.path.relative_to(root).as_posix() for candidate in walk]


def rules(problems: list[FileResult]) -> list[tuple[str, str]]:
    return [(each.path.name, each.findings[0].rule) for each in problems]


def test_takes_python_files_that_say_nnx_in_order(tmp_path: Path) -> None:
    grow(tmp_path, "b.py", "a.py", "pkg/z.py", "pkg/a.py", "stub.pyi", "note.txt")
    grow(tmp_path, "other.py", "flax_only.py", text="import flax\n")
    walk = Walk([tmp_path])
    assert names(walk, tmp_path) == ["a.py", "b.py", "pkg/a.py", "pkg/z.py"]
    assert walk.looked_at == 6
    assert [(group.real, group.names) for group in walk.others] == [
        (str(tmp_path), ["flax_only.py", "other.py"])
    ]
    assert walk.problems == []


def test_leaves_out_folders_that_are_not_the_project(tmp_path: Path) -> None:
    grow(tmp_path, "a.py", ".git/x.py", "node_modules/x.py", "lib/site-packages/x.py", "env/x.py")
    (tmp_path / "env" / "pyvenv.cfg").write_text("home = /usr\n")
    assert names(Walk([tmp_path]), tmp_path) == ["a.py"]
    # Somebody who names such a folder means it.
    assert names(Walk([tmp_path / "env"]), tmp_path) == ["env/x.py"]


def test_gitignore_is_hierarchical_and_can_take_back(tmp_path: Path) -> None:
    grow(tmp_path, "a.py", "gen_a.py", "build/x.py", "sub/gen_b.py", "sub/gen_keep.py", "sub/l.py")
    (tmp_path / ".git").mkdir(exist_ok=True)
    (tmp_path / ".gitignore").write_text("gen_*\n/build/\n")
    (tmp_path / "sub" / ".gitignore").write_text("!gen_keep.py\nl.py\n")
    assert names(Walk([tmp_path]), tmp_path) == ["a.py", "sub/gen_keep.py"]
    # From a subfolder the repository's file still counts ...
    assert names(Walk([tmp_path / "sub"]), tmp_path) == ["sub/gen_keep.py"]
    # ... but a named folder is wanted, and so is a named file.
    assert names(Walk([tmp_path / "build"]), tmp_path) == ["build/x.py"]
    assert names(Walk([tmp_path / "gen_a.py"]), tmp_path) == ["gen_a.py"]


def test_a_pattern_that_git_cannot_read_spoils_no_other(tmp_path: Path) -> None:
    (tmp_path / ".gitignore").write_text("!\nout.py\n")
    grow(tmp_path, "out.py", "in.py")
    assert names(Walk([tmp_path]), tmp_path) == ["in.py"]


def test_configured_patterns_leave_paths_out(tmp_path: Path) -> None:
    grow(tmp_path, "a.py", "third_party/b.py")
    (tmp_path / "patterns").write_text("third_party/\n")
    own = read_patterns(str(tmp_path), "patterns")

    def excludes(folder: Path) -> PatternFile | None:
        return own

    assert names(Walk([tmp_path], excludes), tmp_path) == ["a.py"]


def test_the_same_file_by_two_paths_is_done_once(tmp_path: Path) -> None:
    grow(tmp_path, "pkg/a.py")
    (tmp_path / "pkg" / "alias.py").symlink_to("a.py")
    paths = [tmp_path / "pkg", tmp_path, tmp_path / "pkg" / "a.py", tmp_path / "pkg" / ".." / "pkg"]
    walk = Walk(paths)
    assert names(walk, tmp_path) == ["pkg/a.py"]
    assert walk.problems == []


def test_links_out_of_the_tree_are_reported_and_loops_end(tmp_path: Path) -> None:
    tree = tmp_path / "tree"
    grow(tmp_path, "outside/far.py", "tree/a.py")
    grow(tmp_path, "outside/plain.py", text="import os\n")
    (tree / "far.py").symlink_to(tmp_path / "outside" / "far.py")
    (tree / "plain.py").symlink_to(tmp_path / "outside" / "plain.py")
    (tree / "loop").symlink_to(tree)
    (tree / "itself").symlink_to("itself")
    (tree / "away").symlink_to(tmp_path / "outside")
    (tree / "gone.py").symlink_to("nowhere.py")
    walk = Walk([tree])
    assert names(walk, tree) == ["a.py"]
    assert sorted(rules(walk.problems)) == [
        ("away", "link-out-of-tree"),
        ("far.py", "link-out-of-tree"),
        ("gone.py", "broken-link"),
    ]
    named = Walk([tree / "far.py"])
    assert list(named) == []
    assert rules(named.problems) == [("far.py", "link-out-of-tree")]


def test_a_link_to_a_file_in_the_tree_without_py_in_its_name_is_taken(tmp_path: Path) -> None:
    grow(tmp_path, "script")
    (tmp_path / "script.py").symlink_to("script")
    assert names(Walk([tmp_path]), tmp_path) == ["script.py"]


def test_pipes_are_reported_and_never_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    grow(tmp_path, "a.py")
    walk = Walk([tmp_path, tmp_path / "pipe.py"])
    assert names(walk, tmp_path) == ["a.py"]
    assert rules(walk.problems) == [("pipe.py", "special-file")] * 2


def test_what_is_not_there_is_reported(tmp_path: Path) -> None:
    grow(tmp_path, "a.py")
    walk = Walk([tmp_path / "nope", tmp_path / "a.py", tmp_path / "a.py" / "x"])
    assert names(walk, tmp_path) == ["a.py"]
    assert walk.missing == [tmp_path / "nope", tmp_path / "a.py" / "x"]
    assert [each.status for each in walk.problems] == [FileStatus.FAILED] * 2


def test_files_and_folders_that_cannot_be_read_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    grow(tmp_path, "a.py", "locked.py", "closed/b.py")
    real_open, real_scan = os.open, os.scandir

    def no_open(path: str, flags: int) -> int:
        if str(path).endswith("locked.py"):
            raise PermissionError(13, "Permission denied")
        return real_open(path, flags)

    def no_scan(path: str) -> object:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied")
        return real_scan(path)

    monkeypatch.setattr(os, "open", no_open)
    monkeypatch.setattr(os, "scandir", no_scan)
    walk = Walk([tmp_path])
    assert names(walk, tmp_path) == ["a.py"]
    assert sorted(rules(walk.problems)) == [
        ("closed", "unreadable-file"),
        ("locked.py", "unreadable-file"),
    ]
    assert walk.problems[0].reason == "Permission denied"


def test_large_files_are_skipped_with_a_finding(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(discovery, "MAX_BYTES", 1000)
    grow(tmp_path, "big.py", text=NNX + "#" * 1000)
    grow(tmp_path, "big_other.py", text="#" * 2000)
    walk = Walk([tmp_path])
    assert list(walk) == []
    assert rules(walk.problems) == [("big.py", "large-file")]


def test_a_named_file_is_taken_by_its_name_or_its_first_line(tmp_path: Path) -> None:
    grow(tmp_path, "notes.txt", "data.json", "train", "stub.pyi")
    grow(tmp_path, "run.sh", text=f"#!/usr/bin/env python3\n{NNX}")
    grow(tmp_path, "bash.sh", text=f"#!/bin/sh\n# not python\n{NNX}")
    walk = Walk(sorted(tmp_path.iterdir()))
    assert names(walk, tmp_path) == ["run.sh", "stub.pyi", "train"]
    assert rules(walk.problems) == [
        ("bash.sh", "other-file"),
        ("data.json", "other-file"),
        ("notes.txt", "other-file"),
    ]


@pytest.mark.parametrize("size", [0, 1, 131071, 131072, 131073, 2_000_000])
def test_reads_every_size_whole(tmp_path: Path, size: int) -> None:
    data = bytes(i % 251 for i in range(size))
    (tmp_path / "f").write_bytes(data)
    assert read_file(tmp_path / "f") == data
