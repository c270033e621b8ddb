"""A run with some of its findings left out, and the edits that are made for these alone."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path

from nnx_migrate.core.findings import (
    FileResult,
    FileStatus,
    Outcome,
    SourceEdit,
    apply_source_edits,
)
from nnx_migrate.core.totals import ATTENTION, RunResult, count

#: Whether a finding stays: the file, and the finding's place in it; None for what happened to the
#: file as a whole.
Keeps = Callable[[Path, int | None], bool]


def narrowed(run: RunResult, keeps: Keeps) -> RunResult:
    """Leave findings out of a run that wrote nothing.

    Args:
        run: all that was found.
        keeps: whether a finding stays; it is not asked about what stays the same.
    """
    results = tuple(
        kept for result in run.results if (kept := _narrowed_file(result, keeps)) is not None
    )
    return dataclasses.replace(run, results=results, totals=count(results, run.totals.looked_at))


def _narrowed_file(result: FileResult, keeps: Keeps) -> FileResult | None:
    places = [
        place
        for place, finding in enumerate(result.findings)
        if finding.outcome is Outcome.SAME or keeps(result.path, place)
    ]
    if result.status in ATTENTION:
        told = any(finding.message == result.reason for finding in result.findings)
        whole = bool(result.reason) and not told and keeps(result.path, None)
        return result if places or whole else None
    if len(places) == len(result.findings):
        return result
    edits = _edits_for(result, places)
    findings = tuple(result.findings[place] for place in places)
    if not edits:
        status = FileStatus.UNCHANGED
        return dataclasses.replace(
            result, status=status, before=b"", after=b"", findings=findings, edits=()
        )
    after = apply_source_edits(result.before, edits, result.encoding)
    return dataclasses.replace(result, after=after, findings=findings, edits=edits)


def _edits_for(result: FileResult, places: list[int]) -> tuple[SourceEdit, ...]:
    """The edits of the units that a finding is left of; a file may get each unit alone."""
    wanted = {place for place in places if result.findings[place].outcome is not Outcome.SAME}
    units: dict[int, set[int]] = {}
    for edit in result.edits:
        units.setdefault(edit.unit, set()).update(wanted.intersection(edit.findings))
    numbers = {place: number for number, place in enumerate(places)}
    return tuple(
        dataclasses.replace(edit, findings=_numbered(edit.findings, units[edit.unit], numbers))
        for edit in result.edits
        if units[edit.unit]
    )


def _numbered(
    findings: tuple[int, ...], of_unit: set[int], numbers: dict[int, int]
) -> tuple[int, ...]:
    own = [place for place in findings if place in of_unit]
    # An edit that is for a finding that was left out goes with its unit all the same.
    return tuple(sorted(numbers[place] for place in own or of_unit))
