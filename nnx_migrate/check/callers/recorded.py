"""What a recording knows of those that call a function."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from nnx_migrate.check.jobs import Job
from nnx_migrate.check.recording import store


@dataclasses.dataclass(frozen=True, slots=True)
class Recorded:
    """Who made the calls of a recording.

    Args:
        callers: by "path:name" of a function, as `store.callers` says.
        missed: the functions of which calls of a kind are not there.
    """

    callers: Mapping[str, frozenset[str]]
    missed: frozenset[str] = frozenset()


def recorded_callers(jobs: Sequence[Job]) -> Recorded:
    """Reads it from the recording that cases come from.

    Args:
        jobs: the cases; without recorded ones among them nothing is known.
    """
    found: dict[str, frozenset[str]] = {}
    missed: set[str] = set()
    for recording in sorted({job.file for job in jobs if job.kind == "recorded"}):
        found |= store.callers(recording)
        lost = (each for each in store.missed_calls(recording) if not each.spoken_for)
        missed |= {f"{each.path}:{each.name}" for each in lost}
    return Recorded(found, frozenset(missed))
