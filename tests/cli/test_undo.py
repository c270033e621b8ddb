"""`nnx-migrate undo`: what a run wrote is put back, also of a run that was killed."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path

import pytest

from nnx_migrate.sources.journal import STATE_VARIABLE, runs_of
from tests.cli.conftest import COMMAND, Command

OLD = b"""\
from flax import nnx


@nnx.vmap(in_axes=(nnx.StateAxes({nnx.Param: 0, ...: 0}), 0))
def forward(model, x):
    return model(x)
"""


def write(folder: Path, count: int) -> dict[str, bytes]:
    folder.mkdir(exist_ok=True)
    files = {f"file{number}.py": OLD + b"# %d\r\n" % number for number in range(count)}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return files


def contents(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.glob("*.py")}


def test_a_run_is_put_back(tmp_path: Path, command: Command) -> None:
    before = write(tmp_path / "src", 3)
    (tmp_path / "src" / "file0.py").chmod(0o755)
    done = command("apply", "src")
    after = contents(tmp_path / "src")
    assert after != before
    name = done.err.splitlines()[-1].removeprefix("undo with: nnx-migrate undo ")
    listed = command("undo")
    assert listed.out.decode() == f"{name}  3 files  nnx-migrate apply src\n"
    undone = command("undo", name)
    assert (undone.code, undone.out) == (
        0,
        b"src/file0.py put back\nsrc/file1.py put back\nsrc/file2.py put back\n",
    )
    assert contents(tmp_path / "src") == before
    assert (tmp_path / "src" / "file0.py").stat().st_mode & 0o777 == 0o755
    assert b", undone" in command("undo").out
    assert command("undo", "last").code == 2


def test_what_was_edited_since_is_left_alone(tmp_path: Path, command: Command) -> None:
    before = write(tmp_path / "src", 3)
    command("apply", "src")
    edited = (tmp_path / "src" / "file1.py").read_bytes() + b"# mine\n"
    (tmp_path / "src" / "file1.py").write_bytes(edited)
    (tmp_path / "src" / "file2.py").unlink()
    undone = command("undo", "last")
    assert undone.code == 1
    assert undone.out.decode().splitlines() == [
        "src/file0.py put back",
        "src/file1.py left alone: it was edited since",
        "src/file2.py left alone: No such file or directory",
    ]
    assert contents(tmp_path / "src") == {"file0.py": before["file0.py"], "file1.py": edited}


def test_runs_are_undone_one_after_the_other(tmp_path: Path, command: Command) -> None:
    before = write(tmp_path / "src", 1)
    command("apply", "src")
    first = contents(tmp_path / "src")
    (tmp_path / "src" / "file0.py").write_bytes(first["file0.py"] + OLD)
    both = contents(tmp_path / "src")
    command("apply", "src")
    assert command("undo", "last").code == 0
    assert contents(tmp_path / "src") == both
    (tmp_path / "src" / "file0.py").write_bytes(first["file0.py"])
    assert command("undo", "last").code == 0
    assert contents(tmp_path / "src") == before


def test_what_writes_nothing_keeps_nothing(tmp_path: Path, command: Command) -> None:
    write(tmp_path / "src", 1)
    for flag in ("--dry-run", "--check", "--diff"):
        command("apply", "src", flag)
    assert not (tmp_path / ".nnx-migrate").exists()
    assert b"no run of nnx-migrate has written files" in command("undo").out
    assert "put back" not in command("apply", "src", "--no-journal").err
    assert not (tmp_path / ".nnx-migrate").exists()


def test_a_damaged_journal_is_named_and_the_others_are_undone(
    tmp_path: Path, command: Command
) -> None:
    write(tmp_path / "src", 1)
    command("apply", "src")
    first = contents(tmp_path / "src")
    (tmp_path / "src" / "file0.py").write_bytes(first["file0.py"] + OLD)
    command("apply", "src")
    late, early = runs_of(tmp_path)
    late.file.write_bytes(late.file.read_bytes()[:2000])
    listed = command("undo")
    assert listed.code == 0
    assert str(late.file) in listed.out.decode().splitlines()[0]
    assert f"{early.name}  1 file" in listed.out.decode().splitlines()[1]
    undone = command("undo", "last")
    assert undone.code == 2
    assert f"{late.file}" in undone.err
    assert "cannot be undone" in undone.err


def test_a_run_that_was_not_there_is_said(command: Command) -> None:
    done = command("undo", "20200101")
    assert done.code == 2
    assert "there is no run 20200101 to undo here; to list the runs: nnx-migrate undo" in done.err
    assert "there is no run to undo here" in command("undo", "last").err


def test_who_stands_too_deep_is_told_where_the_runs_are(tmp_path: Path, command: Command) -> None:
    write(tmp_path / "src", 1)
    assert command("apply", "src").code == 0
    listed = command("undo", cwd=tmp_path / "src")
    assert f"; runs were started in {tmp_path}: go there to undo them" in listed.out.decode()
    asked = command("undo", "last", cwd=tmp_path / "src")
    assert (asked.code, f"runs were started in {tmp_path}" in asked.err) == (2, True)
    assert command("undo", "last").code == 0
    assert "runs were started" not in command("undo", cwd=tmp_path / "src").out.decode()


def test_without_a_journal_nothing_is_written(
    tmp_path: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = write(tmp_path / "src", 2)
    monkeypatch.setenv(STATE_VARIABLE, str(tmp_path / "state"))
    (tmp_path / "state").write_text("in the way")
    done = command("apply", "src")
    assert done.code == 2
    assert f"the folder that {STATE_VARIABLE} names is used instead" in done.err
    assert "to change files without it: apply --no-journal" in done.err
    assert contents(tmp_path / "src") == before


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_run_that_is_killed_can_be_undone_or_gone_on_with(
    tmp_path: Path, command: Command, jobs: str
) -> None:
    source = tmp_path / "src"
    before = write(source, 120)
    command("apply", "src", "--no-journal")
    after = contents(source)
    seen = 0
    for least in (1, 20, 60):
        write(source, 120)
        process = subprocess.Popen(
            [COMMAND, "apply", "src", "--jobs", jobs], cwd=tmp_path, stderr=subprocess.DEVNULL
        )
        while (
            process.poll() is None and sum(contents(source)[n] != before[n] for n in before) < least
        ):
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
        process.wait()
        halfway = contents(source)
        assert all(data in (before[name], after[name]) for name, data in halfway.items())
        seen += halfway not in (before, after)
        # Of a run that was done before it could be killed nothing is left to go on with.
        if least == 20 and halfway not in (before, after):
            command("apply", "src")
            assert contents(source) == after
            assert command("undo", "last").code == 0
            assert contents(source) == halfway
        assert command("undo", "last").code == 0
        assert contents(source) == before
        assert not list(source.glob(".*"))
    assert seen, "no run was killed halfway"
