"""A file holds its old bytes or its new ones, whatever happens, and stays what it was otherwise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nnx_migrate.sources.write import WriteError, write_atomically


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
