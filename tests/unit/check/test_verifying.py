"""What a check finds different is put back; a file that was edited since is left, and named."""

from __future__ import annotations

from pathlib import Path

from nnx_migrate.check.verify import put_back
from nnx_migrate.sources.write import Replacement


def test_files_get_their_old_bytes_each_on_its_own(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.py", "b.py", "c.py")]
    for path in files:
        path.write_bytes(b"new")
    files[1].write_bytes(b"edited since")
    reverted, failed = put_back(Replacement(path, b"old", b"new") for path in files)
    assert reverted == [files[0], files[2]]
    assert [path.read_bytes() for path in files] == [b"old", b"edited since", b"old"]
    assert failed == [f"{files[1]} could not be put back: the file changed during the run"]
