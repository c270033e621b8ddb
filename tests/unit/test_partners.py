"""Files that change together are written together, or each is told why it was not."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.sources.write import Replacement, WriteError
from nnx_migrate.sources.write_groups import write_together


def test_what_is_not_written_is_told_of_each_file() -> None:
    files = [Path(name) for name in ("a.py", "b.py", "c.py")]
    results = [FileResult(file, FileStatus.CHANGED, b"old", b"new") for file in files]

    def write(wanted: Sequence[Replacement]) -> None:
        assert [each.path for each in wanted] == files
        error = WriteError(files[1], "No space left on device", no_room=True)
        error.stuck = {files[0]: "Input/output error"}
        raise error

    told = {result.path.name: result.reason or "" for result in write_together(results, write)}
    assert told["a.py"] == (
        "it is changed without b.py, which it works with only, and could not be put back: "
        "Input/output error; `nnx-migrate undo` does that"
    )
    assert told["b.py"] == "No space left on device"
    assert told["c.py"].startswith("b.py, which has to change together with it")


def test_what_does_not_change_is_not_written() -> None:
    same = FileResult(Path("a.py"), FileStatus.UNCHANGED, b"old", b"old")

    def write(wanted: Sequence[Replacement]) -> None:
        raise AssertionError(wanted)

    assert [result.before for result in write_together([same], write)] == [b""]
