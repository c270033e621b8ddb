"""Files that change together are written together, whatever ends the writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate import partners
from nnx_migrate.outcomes import FileResult, FileStatus
from nnx_migrate.partners import write_together
from nnx_migrate.sources.write import WriteError, write_atomically


def test_what_breaks_off_between_them_puts_the_first_back(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.py", "b.py")]
    for file in files:
        file.write_bytes(b"old")
    results = [FileResult(file, FileStatus.CHANGED, b"old", b"new") for file in files]

    def write(path: Path, before: bytes, after: bytes) -> None:
        if path == files[1]:
            raise KeyboardInterrupt
        write_atomically(path, before, after)

    with pytest.raises(KeyboardInterrupt):
        write_together(results, write)
    assert [file.read_bytes() for file in files] == [b"old", b"old"]


def test_a_file_that_cannot_be_put_back_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = [tmp_path / name for name in ("a.py", "b.py", "c.py")]
    results = [FileResult(file, FileStatus.CHANGED, b"old", b"new") for file in files]

    def full(path: Path, before: bytes, after: bytes) -> None:
        raise WriteError("No space left on device", no_room=True)

    def write(path: Path, before: bytes, after: bytes) -> None:
        if path != files[0]:
            full(path, before, after)

    monkeypatch.setattr(partners, "write_atomically", full)
    told = {result.path.name: result.reason or "" for result in write_together(results, write)}
    assert told["a.py"].startswith(f"it is changed without {files[1]}, which it works with only")
    assert "`nnx-migrate undo` does that" in told["a.py"]
    assert told["b.py"] == "No space left on device"
    assert told["c.py"].startswith(f"{files[1]}, which has to change together with it")

    def interrupted(path: Path, before: bytes, after: bytes) -> None:
        if path != files[0]:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        write_together(results, interrupted)
    assert ["a.py is changed without" in note for note in caught.value.__notes__] == [True]
