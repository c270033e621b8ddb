"""The last step of a file: it is written, or only kept in memory to be shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.engine.plan_file import PlanTask
from nnx_migrate.sources.walk.discovery import problem
from nnx_migrate.sources.write import Replacement, WriteError, Writer
from nnx_migrate.sources.write_groups import dependable, groups, write_together

#: Gives the result of each file, in any order.
Planning = Callable[[Iterable[PlanTask]], Iterator[FileResult]]


def finish(result: FileResult, write: Writer | None) -> FileResult:
    """Write a file that changes and needs no others.

    Args:
        result: as it was planned.
        write: replaces a file; without it nothing on disk is touched.
    """
    if result.before == result.after:
        return dataclasses.replace(result, before=b"", after=b"")
    if write is not None and result.status is FileStatus.CHANGED:
        try:
            write([Replacement(result.path, result.before, result.after)])
        except WriteError as error:
            return problem(result.path, FileStatus.FAILED, "unwritable-file", error.reason)
    return result


def settled(
    results: Sequence[FileResult], planning: Planning, wanted: Mapping[Path, PlanTask]
) -> list[FileResult]:
    """Results of which each finds its partners as they were planned.

    Args:
        results: of all files of a run.
        planning: plans files anew.
        wanted: what was planned.
    """

    def alone(paths: Sequence[Path]) -> Iterator[FileResult]:
        tasks = [dataclasses.replace(wanted[path], alone=True) for path in paths]
        return planning(tasks)

    return dependable(results, alone)


def written_together(results: Sequence[FileResult], write: Writer | None) -> list[FileResult]:
    """Write the files that change with others, each group as a whole.

    Args:
        results: of all files of a run, settled.
        write: replaces files; without it nothing on disk is touched.
    """
    by_path = {result.path: result for result in results}
    for group in groups(results):
        for result in write_together([by_path[path] for path in group], write):
            by_path[result.path] = result
    return list(by_path.values())
