"""Files that change together are written together, whatever ends the writing."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.outcomes import FileResult, FileStatus
from nnx_migrate.partners import write_together
from nnx_migrate.sources.write import write_atomically


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
