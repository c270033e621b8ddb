"""What the tool says of programs of the bed, beside what they do."""

from __future__ import annotations

import collections
import dataclasses
import enum
from collections.abc import Iterable, Mapping, Sequence

from nnx_migrate.core.findings import Outcome
from tests.bed.programs import Program
from tests.bed.truth import Truth
from tests.hazards.running import migrated

_CHANGING = frozenset(Outcome) - {Outcome.SAME}


class Verdict(enum.StrEnum):
    """How what is said fits to what happens; the first two are wrong, the third a nuisance."""

    SILENT = "another result after the flip, and no finding"
    UNANNOUNCED = "raises after the flip, and no finding"
    NEEDLESS = "the same in both modes, and a finding"
    FOUND = "different, and a finding"
    QUIET = "the same in both modes, and no finding"
    UNCOUNTED = "does not run today, or gives another object with the same values"


@dataclasses.dataclass(frozen=True, slots=True)
class Judged:
    """A program, what it does, and the findings about it.

    Args:
        program: the program.
        truth: what it does when the defaults are flipped.
        findings: "rule: message" of what is rewritten, pinned or left to a person.
    """

    program: Program
    truth: Truth
    findings: tuple[str, ...]

    @property
    def verdict(self) -> Verdict:
        """How the two fit."""
        said = bool(self.findings)
        match self.truth:
            case Truth.SILENT:
                return Verdict.FOUND if said else Verdict.SILENT
            case Truth.RAISES:
                return Verdict.FOUND if said else Verdict.UNANNOUNCED
            case Truth.SAME:
                return Verdict.NEEDLESS if said else Verdict.QUIET
            case _:
                return Verdict.UNCOUNTED


def judge(programs: Iterable[Program], truths: Mapping[str, Truth]) -> list[Judged]:
    """Migrate programs in memory, and look up what they do."""
    return [Judged(each, truths[each.key], _findings(each)) for each in programs]


def _findings(program: Program) -> tuple[str, ...]:
    result = migrated(program.text().encode())
    return tuple(f"{f.rule}: {f.message}" for f in result.findings if f.outcome in _CHANGING)


def counts(judged: Sequence[Judged]) -> collections.Counter[Verdict]:
    """How many programs have which verdict."""
    return collections.Counter(each.verdict for each in judged)
