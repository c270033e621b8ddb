"""A file holds its old bytes or its new ones, whatever happens, and stays what it was otherwise."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nnx_migrate.sources.write import Replacement, WriteError, remove_leftovers, replace_file


def test_replaces_bytes_and_keeps_the_mode(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o751)
    replace_file(Replacement(file, b"old", b"new\r\n"))
    assert file.read_bytes() == b"new\r\n"
    assert file.stat().st_mode & 0o7777 == 0o751
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    file = tmp_path / "real" / "a.py"
    file.write_bytes(b"old")
    link = tmp_path / "link.py"
    link.symlink_to(file)
    replace_file(Replacement(link, b"old", b"new"))
    assert link.is_symlink()
    assert file.read_bytes() == b"new"
    assert os.listdir(tmp_path / "real") == ["a.py"]


def test_a_file_that_changed_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"edited by somebody")
    with pytest.raises(WriteError, match="the file changed during the run"):
        replace_file(Replacement(file, b"old", b"new"))
    assert file.read_bytes() == b"edited by somebody"


def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o444)
    with pytest.raises(WriteError, match="read-only"):
        replace_file(Replacement(file, b"old", b"new"))
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
        replace_file(Replacement(file, b"old", b"new"))
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]


def test_a_file_that_vanished_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="No such file"):
        replace_file(Replacement(tmp_path / "a.py", b"old", b"new"))
    assert os.listdir(tmp_path) == []


def test_a_kill_leaves_old_or_new_bytes(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    old, new = b"# old\n" * 200_000, b"# new!\n" * 200_000
    file.write_bytes(old)
    program = (
        "import sys; from pathlib import Path\n"
        "from nnx_migrate.sources.write import Replacement, replace_file\n"
        "file = Path(sys.argv[1]); old, new = b'# old\\n' * 200_000, b'# new!\\n' * 200_000\n"
        "print('ready', flush=True)\n"
        "while True:\n"
        "    replace_file(Replacement(file, old, new)); replace_file(Replacement(file, new, old))\n"
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


FULL = OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("call", ["fsync", "open"])
def test_what_has_no_room_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    inode = file.stat().st_ino
    calls = [0]
    whole = getattr(os, call)

    def full(*args: object) -> object:
        calls[0] += 1
        # It is opened to be read before the new one is made.
        if calls[0] == 1 + (call == "open"):
            raise FULL
        return whole(*args)

    monkeypatch.setattr(os, call, full)
    with pytest.raises(WriteError, match="No space left on device") as caught:
        replace_file(Replacement(file, b"old", b"new"))
    monkeypatch.undo()
    assert (caught.value.path, caught.value.no_room) == (file, True)
    assert file.stat().st_ino == inode
    assert os.listdir(tmp_path) == ["a.py"]


def test_an_interrupt_leaves_the_old_bytes_and_no_trace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")

    def interrupted(*args: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(Replacement(file, b"old", b"new"))
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["a.py"]


def test_what_an_earlier_try_has_written_counts_as_done_when_resumed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"new")
    with pytest.raises(WriteError, match="the file changed during the run"):
        replace_file(Replacement(file, b"old", b"new"))
    replace_file(Replacement(file, b"old", b"new"), resumed=True)
    assert file.read_bytes() == b"new"
    file.write_bytes(b"mine")
    with pytest.raises(WriteError, match="the file changed during the run"):
        replace_file(Replacement(file, b"old", b"new"), resumed=True)


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
    replace_file(Replacement(file, b"0", b"1"))
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
        replace_file(Replacement(file, b"0", b"1"))
    assert file.read_bytes() == b"0"
    assert os.listdir(tmp_path) == ["a.py"]
