"""Files that change together: all of them are written, or none is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

from nnx_migrate.core.findings import FileResult, FileStatus
from nnx_migrate.sources.walk.discovery import problem
from nnx_migrate.sources.write import Replacement, WriteError, Writer

_DONE = frozenset({FileStatus.CHANGED, FileStatus.UNCHANGED})


def dependable(
    results: Sequence[FileResult], alone: Callable[[Sequence[Path]], Iterable[FileResult]]
) -> list[FileResult]:
    """Results of which each finds its partners as they were planned.

    Args:
        results: of all files of a run.
        alone: plans files anew, each without the others.
    """
    by_path = {result.path: result for result in results}
    anew: list[Path] = []
    for group in groups(results):
        if all(_ended_as_planned(by_path.get(path), group) for path in group):
            continue
        known = (by_path[path] for path in group if path in by_path)
        anew += [r.path for r in known if r.status in _DONE | {FileStatus.REVERTED}]
    for result in alone(anew) if anew else ():
        by_path[result.path] = result
    return list(by_path.values())


class Partnered(Protocol):
    """A file, and those that it changes with."""

    @property
    def path(self) -> Path: ...

    @property
    def together(self) -> tuple[Path, ...]: ...


def groups(results: Iterable[Partnered]) -> list[list[Path]]:
    """The files that change together, each of them in one group."""
    found: list[set[Path]] = []
    for result in results:
        if result.together:
            own = {result.path, *result.together}
            met = [group for group in found if group & own]
            found = [group for group in found if group not in met]
            found.append(own.union(*met))
    return [sorted(group) for group in found]


def _ended_as_planned(result: FileResult | None, group: Sequence[Path]) -> bool:
    return (
        result is not None
        and result.status in _DONE
        and bool(result.together)
        and set(result.together) <= set(group)
    )


def write_together(results: Sequence[FileResult], write: Writer | None) -> list[FileResult]:
    """Write the files of a group, all of them or none.

    Args:
        write: replaces files; without it nothing on disk is touched.
    """
    changing = [result for result in results if result.status is FileStatus.CHANGED]
    if write is not None and changing:
        try:
            write([Replacement(each.path, each.before, each.after) for each in changing])
        except WriteError as error:
            return [_not_written(each, error) for each in results]
    return [dataclasses.replace(r, before=b"", after=b"") if _same(r) else r for r in results]


def _same(result: FileResult) -> bool:
    return result.before == result.after


def _not_written(result: FileResult, error: WriteError) -> FileResult:
    reason = error.reason
    if result.path in error.stuck:
        reason = (
            f"it is changed without {error.path}, which it works with only, and could not be put "
            f"back: {error.stuck[result.path]}; `nnx-migrate undo` does that"
        )
    elif result.path != error.path:
        reason = f"{error.path}, which has to change together with it, could not be written"
    return problem(result.path, FileStatus.FAILED, "unwritable-file", reason)
