"""What is said of a case in a column."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Mapping

from nnx_migrate.check.branches.sites import Taken
from nnx_migrate.check.compare.comparison import Difference


class Verdict(enum.StrEnum):
    """From the strongest to the weakest that lets a migration pass, then those that do not."""

    PROVED = "proved"
    EQUAL = "equal"
    CLOSE = "close"
    BY_CALLERS = "by callers"
    DIFFERENT = "different"
    NOT_CHECKED = "not checked"

    @property
    def passes(self) -> bool:
        """Whether the two sides do the same, for all that is known to call them."""
        return self not in (Verdict.DIFFERENT, Verdict.NOT_CHECKED)


@dataclasses.dataclass(frozen=True, slots=True)
class ColumnResult:
    """A case in a column, beside the reference.

    Args:
        verdict: what is said of it.
        reason: why, where the verdict does not speak for itself.
        part: what differs: "arguments", "call", "jit" or "gradient"; "" for none.
        difference: the first place; None for none.
        notes: what is told and counts as no difference.
        proof: why there is no proof; "" where there is one.
        uncalled: functions of the result whose code differs, by path, where nothing else is open.
        unprobed: likewise gradient transformations of arguments and result.
        raised: whether both sides raised alike, so that nothing of what comes after was compared.
    """

    verdict: Verdict
    reason: str = ""
    part: str = ""
    difference: Difference | None = None
    notes: tuple[str, ...] = ()
    proof: str = ""
    uncalled: tuple[str, ...] = ()
    unprobed: tuple[str, ...] = ()
    raised: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class CaseResult:
    """A case in every column.

    Args:
        name: of the case.
        columns: result by name of the column; the reference is none of them.
        seconds: that its runs took, all columns together.
        files: the project's files behind it, relative to the side, by name of the side.
        cached: it is the result of an earlier run; nothing that it depends on has changed.
        read: all files that the verdict depends on, by name of the side; those in the side
            relative to it.
        lines: of changed files that ran, by name of the side and path.
        ways: that conditions in them took inside traced code, by name of the side.
    """

    name: str
    columns: Mapping[str, ColumnResult]
    seconds: float
    files: Mapping[str, tuple[str, ...]]
    cached: bool = False
    read: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict)
    lines: Mapping[str, Mapping[str, tuple[int, ...]]] = dataclasses.field(default_factory=dict)
    ways: Mapping[str, tuple[Taken, ...]] = dataclasses.field(default_factory=dict)

    @property
    def verdict(self) -> Verdict:
        """The weakest of its columns: a difference counts before a gap."""
        found = {result.verdict for result in self.columns.values()}
        if Verdict.DIFFERENT in found:
            return Verdict.DIFFERENT
        return max(found, key=list(Verdict).index)
