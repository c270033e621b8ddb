"""Real git applies every patch, and the result is byte for byte what `apply` writes."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.report.patches.patch import patch_root, quote, render_patch

BODY = b"".join(b"line %d\n" % n for n in range(30))


def result_of(path: Path, before: bytes, after: bytes) -> FileResult:
    return FileResult(path, FileStatus.CHANGED, before, after)


def apply_with_git(root: Path, patch: bytes, *, repository: bool = True) -> None:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    if repository:
        subprocess.run(["git", "init", "-q", root], check=True, env=environment)
    for arguments in (["--check"], []):
        done = subprocess.run(
            ["git", "apply", *arguments, "-"],
            input=patch,
            cwd=root,
            capture_output=True,
            env=environment,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(b"a\nb\nc\n", b"a\nB\nc\n", id="lf"),
        pytest.param(b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nX\r\nc\r\n", id="crlf"),
        pytest.param(b"a\nb\r\nc\n\r\n", b"a\nB\r\nc\n\r\nd\r\n", id="mixed"),
        pytest.param(b"a\rb\rc\rd\n", b"a\rB\rc\rd\n", id="cr inside"),
        pytest.param(b"a\rb\rc", b"a\rB\rc", id="cr only"),
        pytest.param(b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfA\nb\n", id="bom"),
        pytest.param(b"# coding: latin-1\n'\xe9'\n", b"# coding: latin-1\n'\xea'\n", id="latin-1"),
        pytest.param("x = 'é日本'\n".encode(), "y = 'é日本'\n".encode(), id="utf-8"),
        pytest.param(b"a\nb", b"a\nB", id="no final newline"),
        pytest.param(b"a\nb", b"a\nb\n", id="final newline gained"),
        pytest.param(b"a\nb\n", b"a\nb", id="final newline lost"),
        pytest.param(b"x\n\x0c\ny\n", b"x\n\x0c\nz\n", id="form feed"),
        pytest.param(b"x\n\x0by\x1cz\x85\n", b"x\n\x0by\x1cz!\x85\n", id="other separators"),
        pytest.param(b"", b"new\n", id="from empty"),
        pytest.param(BODY, BODY[8:-8], id="both ends"),
        pytest.param(BODY * 50, (BODY * 50).replace(b"line 7\n", b""), id="many hunks"),
        pytest.param(b"--- a\n+++ b\n@@ -1 +1 @@\n", b"--- a\n@@ -1 +1 @@\n", id="patch-like"),
        pytest.param(b"trailing \nspace\t\n", b"trailing  \nspace\t\t\n", id="trailing space"),
    ],
)
def test_bytes_survive(tmp_path: Path, before: bytes, after: bytes) -> None:
    file = tmp_path / "pkg" / "a.py"
    file.parent.mkdir()
    file.write_bytes(before)
    (tmp_path / "pkg" / "empty.py").write_bytes(b"")
    empty = FileResult(tmp_path / "pkg" / "empty.py", FileStatus.UNCHANGED, b"", b"")
    patch = render_patch([result_of(file, before, after), empty], tmp_path)
    apply_with_git(tmp_path, patch)
    assert file.read_bytes() == after
    assert (tmp_path / "pkg" / "empty.py").read_bytes() == b""


@pytest.mark.parametrize(
    "name",
    [
        "plain.py",
        "with space.py",
        " leading.py",
        "tab\there.py",
        "new\nline.py",
        'quo"te.py',
        "back\\slash.py",
        "naïve-日本.py",
        os.fsdecode(b"latin-\xe9.py"),
        "space and é.py",
        "bell\x07esc\x1b.py",
        "-dash.py",
        "dir with space/a b.py",
    ],
)
def test_odd_names_survive(tmp_path: Path, name: str) -> None:
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(b"a\nb\n")
    apply_with_git(tmp_path, render_patch([result_of(file, b"a\nb\n", b"a\nB\n")], tmp_path))
    assert file.read_bytes() == b"a\nB\n"


def test_many_files_in_one_patch_from_a_relative_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    inside = tmp_path / "src" / "deep"
    inside.mkdir(parents=True)
    for name in ("a.py", "b.py"):
        (inside / name).write_bytes(b"1\n2")
    monkeypatch.chdir(inside)
    results = [result_of(Path(name), b"1\n2", b"1\n3") for name in ("a.py", "b.py")]
    root = patch_root(result.path for result in results)
    assert root == tmp_path
    apply_with_git(tmp_path, render_patch(results, root), repository=False)
    assert [(inside / name).read_bytes() for name in ("a.py", "b.py")] == [b"1\n3"] * 2


def test_without_a_repository_names_start_from_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").touch()
    assert patch_root([Path("a.py")]) == tmp_path


def test_plain_names_are_not_quoted() -> None:
    assert quote("a/src/x.py") == "a/src/x.py"
    assert quote("a/é.py") == '"a/\\303\\251.py"'


LINES = st.lists(st.sampled_from([b"a", b"b", b"\r", b"\n", b"\x0c", b"\xff", b""]), max_size=30)


@settings(max_examples=25, deadline=None)
@given(before=LINES, after=LINES)
def test_any_two_contents(
    tmp_path_factory: pytest.TempPathFactory, before: list[bytes], after: list[bytes]
) -> None:
    old, new = b"\n".join(before), b"\n".join(after) + b"x"
    root = tmp_path_factory.mktemp("any")
    (root / "f.py").write_bytes(old)
    patch = render_patch([result_of(root / "f.py", old, new)], root)
    if old != new:
        apply_with_git(root, patch)
    assert (root / "f.py").read_bytes() == new


@pytest.mark.parametrize("many", [200, 1000])
def test_frequent_lines_that_stay_are_no_change(many: int, tmp_path: Path) -> None:
    block = b"f(\n    a,\n    )\n"
    mapped = b"@vmap(\n    a,\n    metadata=1,\n    )\ndef g():\n"
    before = block * many + mapped + block * many
    after = before.replace(b"    metadata=1,\n    )\n", b"    )\n@metadata(1)\n")
    patch = render_patch([result_of(tmp_path / "f.py", before, after)], tmp_path)
    changed = [line for line in patch.splitlines() if line[:1] in {b"-", b"+"}][2:]
    assert changed == [b"-    metadata=1,", b"+@metadata(1)"]
