"""Which places are put back for what a check found."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from nnx_migrate.campaign.places import Place
from nnx_migrate.check.cases.notebooks import source_of
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict


@dataclasses.dataclass(frozen=True, slots=True)
class Blame:
    """What is to be put back.

    Args:
        places: with the reason of each.
        files: whole files, by name: cases differ that no place explains any more.
    """

    places: Mapping[Place, str]
    files: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.places or self.files)


def blamed(cases: Sequence[CaseResult], places: Sequence[Place], changed: frozenset[str]) -> Blame:
    """What explains the cases that differ.

    Those that differ because a function that they call does are asked again in the next round. Of
    the others the places in the function are put back; where there is none left, those in all
    functions that ran, then those of all files behind the case, then whole files.

    Args:
        cases: of a check of a plan.
        places: those of the plan that change something.
        changed: files that the plan changes.
    """
    differing = [case for case in cases if case.verdict is Verdict.DIFFERENT]
    found: dict[Place, str] = {}
    files: set[str] = set()
    for case in _innermost(differing, places):
        own = [place for place in places if place.name == owner(case)]
        ran = [place for place in places if place.ran(lines_of(case))]
        behind = {source_of(name) for names in case.files.values() for name in names}
        imported = [place for place in places if place.file in behind]
        candidates = own or ran or imported or list(places)
        found |= dict.fromkeys(candidates, why(case))
        if not candidates:
            files |= (behind & changed) or changed
    return Blame(found, frozenset(files))


def unverified(cases: Sequence[CaseResult], places: Sequence[Place]) -> Blame:
    """Places that count on more than proofs, and that no case which passes has run.

    Args:
        cases: of a check of a plan; none differs.
        places: those of the plan that change something.
    """
    reason = "the rewrite is not proved, and no call of it could be checked"
    return Blame(
        {
            place: reason
            for place in places
            if place.is_unproved and not any(case.verdict.passes for case in cases_of(place, cases))
        }
    )


def cases_of(place: Place, cases: Sequence[CaseResult]) -> list[CaseResult]:
    """The cases that ran the function of a place.

    Args:
        place: it.
        cases: all.
    """
    return [case for case in cases if owner(case) == place.name or place.ran(lines_of(case))]


def owner(case: CaseResult) -> str:
    """The function that a recorded case calls, the file that another one runs."""
    return case.name.rpartition("#")[0] or case.name


def lines_of(case: CaseResult) -> Mapping[str, Sequence[int]]:
    """The lines of the old files that ran, by file."""
    return case.lines.get("old", {})


def why(case: CaseResult) -> str:
    """In which way a case differs; without the values that do."""
    file, colon, rest = case.name.partition(":")
    name = f"{source_of(file)}{colon}{rest}"
    for column, result in case.columns.items():
        if result.verdict is Verdict.DIFFERENT:
            part = f": {result.part}" if result.part else ""
            return f"without the pin, its calls differ ({name}, {column}{part})"
    return f"without the pin, its calls differ ({name})"


def _innermost(cases: Sequence[CaseResult], places: Sequence[Place]) -> list[CaseResult]:
    """Those that run no place of another function that differs, or run each other's."""
    return [
        case
        for case in cases
        if not any(
            _runs(case, other, places) and not _runs(other, case, places)
            for other in cases
            if owner(other) != owner(case)
        )
    ]


def _runs(case: CaseResult, other: CaseResult, places: Sequence[Place]) -> bool:
    """Whether a case runs a place in the function that another one calls."""
    return any(place.name == owner(other) and place.ran(lines_of(case)) for place in places)
