"""Loops of links, pipes, devices, odd names, huge and many files: told, finished, nothing lost."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.faults.battery import FILE
from tests.faults.trees import changed, make, many, run

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs a POSIX system")


def test_a_hostile_tree_is_done_and_told(tmp_path: Path) -> None:
    root = tmp_path / "tree"
    expected = make(root)
    outside = (tmp_path / "outside" / "far.py").read_bytes()
    done = run(root, "apply", ".", "--output-format", "concise", seconds=60)
    assert done.code == 1
    assert "Traceback" not in done.said
    for name, said in expected.items():
        if said:
            place = rf"(?m)^{re.escape(name)}(:\d+:\d+)?: {said}"
            assert re.search(place, done.said), f"{name}: {done.said}"
    names = {str(path.relative_to(root)) for path in changed(root)}
    shown = {name.replace("\n", "\\n").replace("\udcff", "\\udcff") for name in names}
    rewritten = {name for name, said in expected.items() if said.endswith("rewritten")}
    assert shown == rewritten
    assert (tmp_path / "outside" / "far.py").read_bytes() == outside
    assert done.megabytes < 300
    undone = run(root, "undo", "last")
    assert undone.code == 0, undone.said
    assert list(changed(root)) == []
    assert not list(root.rglob(".*.nnx-migrate"))


def test_a_huge_file_alone_is_told(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    with open(tmp_path / "work" / "huge.py", "wb") as file:
        file.truncate(1 << 28)
        file.seek(0, os.SEEK_END)
        file.write(b"nnx")
    done = run(tmp_path / "work", "apply", "huge.py", seconds=60)
    assert done.code == 1
    assert "skipped[large-file]  huge.py\n  = why: it has 268 MB" in done.said


def test_many_tiny_files_take_little_memory(tmp_path: Path) -> None:
    many(tmp_path / "few", 1_000, nnx=20)
    many(tmp_path / "more", 6_000, nnx=20)
    few = run(tmp_path / "few", "apply", ".", "--jobs", "1")
    more = run(tmp_path / "more", "apply", ".", "--jobs", "1")
    assert few.code == more.code == 0
    assert len(list(changed(tmp_path / "more"))) == 20
    assert more.megabytes < few.megabytes + 20


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("root reads everything")
    (tmp_path / "src" / "closed").mkdir(parents=True)
    (tmp_path / "src" / "a.py").write_bytes(FILE)
    (tmp_path / "src" / "closed").chmod(0)
    done = run(tmp_path / "src", "apply", ".")
    (tmp_path / "src" / "closed").chmod(0o755)
    assert done.code == 1
    assert "closed: unreadable-file: failed: Permission denied" in done.said
    assert b"nnx.merge" in (tmp_path / "src" / "a.py").read_bytes()
