"""The vocabulary of a run: what was found where, how it ended, and on what evidence."""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path


class Outcome(enum.StrEnum):
    """How a site that depends on the mode ends; every site has exactly one."""

    REWRITTEN = "rewritten"
    PINNED = "pinned"
    MANUAL = "manual"
    SAME = "same"


class Proof(enum.StrEnum):
    """How a precondition of a rewrite is known."""

    PROVED = "proved"
    OBSERVED = "observed"
    ASSUMED = "assumed"


class FileStatus(enum.StrEnum):
    """What became of one file; anything but changed/unchanged carries a reason."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    SKIPPED = "skipped"
    FAILED = "failed"
    REVERTED = "reverted"


@dataclasses.dataclass(frozen=True, slots=True)
class Evidence:
    """One precondition of an outcome.

    Args:
        claim: what was shown, in words ("model is Net").
        proof: how it is known.
        where: "path:line" of the place that shows it, or "" when the claim is about the site.
    """

    claim: str
    proof: Proof
    where: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One site and its outcome.

    Args:
        rule: name of the rule ("module-gradient"), or an engine code ("unreadable-file").
        line: 1-based line in the file as it was; 0 when the finding is about the whole file.
        column: 1-based column in characters.
        message: one sentence for a person: what was found and what was or must be done.
    """

    rule: str
    line: int
    column: int
    outcome: Outcome
    message: str
    evidence: tuple[Evidence, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class FileResult:
    """Everything a run knows about one file.

    Args:
        path: the file as it was named or found.
        before: its bytes as read (b"" when it could not be read).
        after: its bytes as they should be; equal to before when nothing changes.
        reason: why the file was skipped, failed or reverted.
        together: other files that it is right with only if they end as this run has planned.
    """

    path: Path
    status: FileStatus
    before: bytes
    after: bytes
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    together: tuple[Path, ...] = ()
