"""Files that change together: all of them are written, or none is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from nnx_migrate.outcomes import FileResult, FileStatus
from nnx_migrate.sources.discovery import problem
from nnx_migrate.sources.write import WriteError, Writer, write_atomically

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


def groups(results: Iterable[FileResult]) -> list[list[Path]]:
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
    """Write the files of a group; when one cannot be, those that were are put back.

    Args:
        write: replaces a file; without it nothing on disk is touched.
    """
    written: list[FileResult] = []
    for result in results:
        if write is None or result.status is not FileStatus.CHANGED:
            continue
        try:
            write(result.path, result.before, result.after)
        except WriteError as error:
            _put_back(written)
            return [_not_written(each, result.path, error.reason) for each in results]
        except BaseException:
            # No journal, or an interrupt: half of a group must not stay either.
            _put_back(written)
            raise
        written.append(result)
    return [dataclasses.replace(r, before=b"", after=b"") if _same(r) else r for r in results]


def _put_back(written: Sequence[FileResult]) -> None:
    for result in written:
        write_atomically(result.path, result.after, result.before)


def _same(result: FileResult) -> bool:
    return result.before == result.after


def _not_written(result: FileResult, failed: Path, reason: str) -> FileResult:
    if result.path != failed:
        reason = f"{failed}, which has to change together with it, could not be written"
    return problem(result.path, FileStatus.FAILED, "unwritable-file", reason)
