"""Files that change together: all of them are written, or none is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
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
            stuck = _put_back(written)
            return [_not_written(each, result.path, error.reason, stuck) for each in results]
        except BaseException as error:
            # No journal, or an interrupt: half of a group must not stay either.
            for path, reason in _put_back(written).items():
                error.add_note(f"{path} {_stuck(result.path, reason)}")
            raise
        written.append(result)
    return [dataclasses.replace(r, before=b"", after=b"") if _same(r) else r for r in results]


def _put_back(written: Sequence[FileResult]) -> dict[Path, str]:
    """Undo the writes of a group; return why that could not be done, by file."""
    stuck: dict[Path, str] = {}
    for result in written:
        try:
            write_atomically(result.path, result.after, result.before)
        except WriteError as error:
            stuck[result.path] = error.reason
    return stuck


def _stuck(failed: Path, reason: str) -> str:
    return (
        f"is changed without {failed}, which it works with only, and could not be put back: "
        f"{reason}; `nnx-migrate undo` does that"
    )


def _same(result: FileResult) -> bool:
    return result.before == result.after


def _not_written(
    result: FileResult, failed: Path, reason: str, stuck: Mapping[Path, str]
) -> FileResult:
    if result.path in stuck:
        reason = f"it {_stuck(failed, stuck[result.path])}"
    elif result.path != failed:
        reason = f"{failed}, which has to change together with it, could not be written"
    return problem(result.path, FileStatus.FAILED, "unwritable-file", reason)
