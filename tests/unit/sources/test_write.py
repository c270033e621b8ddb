"""A file holds its old bytes or its new ones, whatever happens, and stays what it was otherwise."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from nnx_migrate.sources.write import (
    Replacement,
    WriteError,
    remove_leftovers,
    replace_files,
    write_atomically,
)


def test_replaces_bytes_and_keeps_the_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o751)
    write_atomically(file, b"old", b"new\r\n")
    assert file.read_bytes() == b"new\r\n"
    assert file.stat().st_mode & 0o7777 == 0o751
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    file = tmp_path / "real" / "a.py"
    file.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(file)
    write_atomically(link, b"old", b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert os.listdir(tmp_path / "real") == ["a.py"]


def test_a_file_that_changed_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"edited by somebody")
    with pytest.raises(WriteError, match="changed while migrating"):
        write_atomically(file, b"old", b"new")
    assert file.read_bytes() == b"edited by somebody"


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(WriteError, match="read-only"):
        write_atomically(file, b"old", b"new")
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize("call", ["replace", "fsync", "chmod"])
def test_a_failure_leaves_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")

    def fail(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, call, fail)
    with pytest.raises(WriteError, match="No space left on device"):
        write_atomically(file, b"old", b"new")
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_file_that_vanished_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="No such file"):
        write_atomically(tmp_path / "a.py", b"old", b"new")
    assert os.listdir(tmp_path) == []


def test_a_kill_leaves_old_or_new_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    old, new = b"# old\n" * 200_000, b"# new!\n" * 200_000
    file.write_bytes(old)
    program = (
        "import sys; from pathlib import Path\n"
        "from nnx_migrate.sources.write import write_atomically\n"
        "file = Path(sys.argv[1]); old, new = b'# old\\n' * 200_000, b'# new!\\n' * 200_000\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    write_atomically(file, old, new); write_atomically(file, new, old)\n"
    )
    for delay in (0.003, 0.011, 0.023, 0.037):
        writer = subprocess.Popen(
            [sys.executable, "-c", program, str(file)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
        time.sleep(delay)
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        assert writer.returncode == -signal.SIGKILL
        assert file.read_bytes() in (old, new)
        file.write_bytes(old)


def group(folder: Path, number: int = 3) -> list[Replacement]:
    """Files of which a part of the names is the same, and that is all that temporary ones keep."""
    files = [folder / f"a_name_that_is_long_enough_{n}.py" for n in range(number)]
    for file in files:
        file.write_bytes(b"old")
    return [Replacement(file, b"old", b"new") for file in files]


def failing(call: Callable[..., object], at: int, error: BaseException) -> Callable[..., object]:
    """The call, of which one fails."""
    calls = [0]

    def counted(*args: object) -> object:
        calls[0] += 1
        if calls[0] == at:
            raise error
        return call(*args)

    return counted


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("call", ["fsync", "open"])
def test_what_has_no_room_changes_nothing_of_a_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str, at: int
) -> None:
    files = group(tmp_path)
    names = sorted(os.listdir(tmp_path))
    inodes = [file.path.stat().st_ino for file in files]
    # Each file is opened to be read before the new one is made.
    monkeypatch.setattr(os, call, failing(getattr(os, call), at * (1 + (call == "open")), FULL))
    with pytest.raises(WriteError, match="No space left on device") as caught:
        replace_files(files)
    monkeypatch.undo()
    assert (caught.value.path, caught.value.no_room) == (files[at - 1].path, True)
    assert [file.path.stat().st_ino for file in files] == inodes
    assert sorted(os.listdir(tmp_path)) == names


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
@pytest.mark.parametrize("at", [1, 2, 3])
def test_what_breaks_off_between_them_gives_all_their_old_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int, error: BaseException
) -> None:
    files = group(tmp_path)
    names = sorted(os.listdir(tmp_path))
    monkeypatch.setattr(os, "replace", failing(os.replace, at, error))
    with pytest.raises((WriteError, KeyboardInterrupt)) as caught:
        replace_files(files)
    assert getattr(caught.value, "stuck", {}) == {}
    assert not hasattr(caught.value, "__notes__")
    assert [file.path.read_bytes() for file in files] == [b"old"] * 3
    assert sorted(os.listdir(tmp_path)) == names


@pytest.mark.parametrize("error", [OSError(errno.EIO, "Input/output error"), KeyboardInterrupt()])
def test_a_file_that_cannot_be_put_back_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    files = group(tmp_path)
    second_and_on = failing(failing(os.replace, 2, error), 3, FULL)
    monkeypatch.setattr(os, "replace", second_and_on)
    with pytest.raises((WriteError, KeyboardInterrupt)) as caught:
        replace_files(files)
    assert [file.path.read_bytes() for file in files] == [b"new", b"old", b"old"]
    if isinstance(caught.value, WriteError):
        assert caught.value.path == files[1].path
        assert caught.value.stuck == {files[0].path: "No space left on device"}
    else:
        (note,) = caught.value.__notes__
        assert note.startswith(f"{files[0].path} could not be put back: No space left")
        assert note.endswith("`nnx-migrate undo` does that")


def test_a_group_goes_on_from_an_earlier_try_and_back(tmp_path: Path) -> None:
    files = group(tmp_path)
    files[0].path.write_bytes(b"new")
    with pytest.raises(WriteError, match="changed while migrating"):
        replace_files(files)
    assert files[0].path.read_bytes() == b"new"
    files[2].path.write_bytes(b"mine")
    with pytest.raises(WriteError, match="changed while migrating"):
        replace_files(files, resumed=True)
    assert [file.path.read_bytes() for file in files] == [b"old", b"old", b"mine"]
    files[0].path.write_bytes(b"new")
    files[2].path.write_bytes(b"old")
    replace_files(files, resumed=True)
    assert [file.path.read_bytes() for file in files] == [b"new"] * 3


def test_what_a_kill_has_left_is_removed_beside_the_target_of_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.py").symlink_to(tmp_path / "real" / "a.py")
    for name in (".a.py.x-1.0.nnx-migrate", ".b.py.x-1.0.nnx-migrate", ".a.py.x-1.0.mine"):
        (tmp_path / "real" / name).touch()
    remove_leftovers([tmp_path / "link.py"])
    assert sorted(os.listdir(tmp_path / "real")) == [".a.py.x-1.0.mine", ".b.py.x-1.0.nnx-migrate"]


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes in Python here")
def test_extended_attributes_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"0")
    try:
        os.setxattr(file, "user.colour", b"red")
    except OSError:
        pytest.skip("this file system has none")
    write_atomically(file, b"0", b"1")
    assert os.getxattr(file, "user.colour") == b"red"


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="no extended attributes in Python here")
def test_a_file_whose_attributes_would_be_lost_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"0")
    monkeypatch.setattr(os, "listxattr", lambda path: [] if isinstance(path, int) else ["user.x"])
    monkeypatch.setattr(os, "getxattr", lambda path, name: b"1")

    def refuse(path: int, name: str, value: bytes) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(WriteError, match=r"its attribute user\.x would be lost"):
        write_atomically(file, b"0", b"1")
    assert file.read_bytes() == b"0"
    assert os.listdir(tmp_path) == ["a.py"]
