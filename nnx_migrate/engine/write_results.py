"""The last step of a file: it is written, or only kept in memory to be shown."""

from __future__ import annotations

import dataclasses

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.sources.walk.discovery import problem
from nnx_migrate.sources.write import Replacement, WriteError, Writer


def finish(result: FileResult, write: Writer | None) -> FileResult:
    """Write a file that changes.

    Args:
        result: as it was planned.
        write: replaces a file; without it nothing on disk is touched.
    """
    if result.before == result.after:
        return dataclasses.replace(result, before=b"", after=b"")
    if write is not None and result.status is FileStatus.CHANGED:
        try:
            write(Replacement(result.path, result.before, result.after))
        except WriteError as error:
            return problem(result.path, FileStatus.FAILED, "unwritable-file", error.reason)
    return result
