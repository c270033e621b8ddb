"""The vocabulary of a run: what was found where, how it ended, and on what evidence."""

from __future__ import annotations

import dataclasses
import enum
import io
import tokenize
from collections.abc import Iterable
from pathlib import Path

from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Location, Place


class Outcome(enum.StrEnum):
    """How a site that depends on the mode ends; every site has exactly one."""

    REWRITTEN = "rewritten"
    #: Rewritten, and what is written checks when it is traced that it may be so.
    REWRITTEN_CHECKED = "rewritten-checked"
    PINNED = "pinned"
    #: Pinned without graph updates, because only sharing depends on the mode.
    PINNED_MID = "pinned-mid"
    MANUAL = "manual"
    SAME = "same"


class Proof(enum.StrEnum):
    """How a precondition of a rewrite is known."""

    PROVED = "proved"
    #: What is written checks it when it is traced, and raises where it does not hold.
    CHECKED = "checked when traced"
    #: A run of the program showed it (`nnx-migrate observe`), and no proof says otherwise.
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
        where: the place that shows it, which in the result of a file is one that its readers find;
            None when the claim is about the site.
        permission: what a user has allowed, or would have to, for it to be taken as true.
    """

    claim: str
    proof: Proof
    where: Place | Location | None = None
    permission: Permission | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class CellPlace:
    """A place in a notebook, as its reader counts.

    Args:
        cell: 1-based number of the cell, those without code counted too.
        line: 1-based line in the cell.
        column: 1-based column in that line, in characters.
    """

    cell: int
    line: int
    column: int


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """One site and its outcome.

    Args:
        rule: name of the rule ("module-gradient"), or an engine code ("unreadable-file").
        line: 1-based line in the file as it was; 0 when the finding is about the whole file.
        column: 1-based column in characters.
        outcome: how the site ends.
        message: one sentence for a person: what was found and what was or must be done.
        evidence: the preconditions of the outcome.
        in_cell: the place in the cell of a notebook; `line` and `column` are those of the file.
        ways_out: what a person would change so that no pin is needed, the likeliest first; none
            where nothing is known.
    """

    rule: str
    line: int
    column: int
    outcome: Outcome
    message: str
    evidence: tuple[Evidence, ...] = ()
    in_cell: CellPlace | None = None
    ways_out: tuple[str, ...] = ()

    @property
    def rests_on_permission(self) -> bool:
        """Whether it ends so because of something that a user has allowed to be assumed."""
        done = self.outcome in {Outcome.REWRITTEN, Outcome.REWRITTEN_CHECKED, Outcome.SAME}
        return done and any(each.permission is not None for each in self.evidence)

    @property
    def why(self) -> str:
        """The message, without what the outcome says already."""
        kept = self.outcome in {Outcome.PINNED, Outcome.PINNED_MID}
        return (self.message.partition(": ")[2] if kept else "") or self.message


@dataclasses.dataclass(frozen=True, slots=True)
class SourceEdit:
    """One span of a changed file, and what takes its place.

    Args:
        start: byte offset in the file as it was.
        end: byte offset behind the span; equal to `start` when text is only put in.
        line: 1-based line of the start, in the file as it was; lines end as Python's do.
        column: 1-based column of the start in characters (code points).
        end_line: 1-based line of the end.
        end_column: 1-based column behind the span.
        replacement: the new text, to be stored in the file's encoding.
        findings: places in `FileResult.findings` of the sites that want this edit, never empty.
        unit: number of the edits that go together; a file may get each unit without the others.
    """

    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    replacement: str
    findings: tuple[int, ...]
    unit: int


@dataclasses.dataclass(frozen=True, slots=True)
class KeptPin:
    """A pin that stood in a file, and what a run found out about it.

    Args:
        line: 1-based line in the file as it was.
        column: 1-based column in characters.
        transform: what is pinned, as it is called behind `nnx.`.
        written: how that is written.
        ours: by its shape this program has written it for certain.
        needed: what keeps it is still there.
        findings: what the rules say of the place: why it is needed, or what it becomes without.
    """

    line: int
    column: int
    transform: str
    written: str
    ours: bool
    needed: bool
    findings: tuple[Finding, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class FileResult:
    """Everything a run knows about one file.

    Args:
        path: the file as it was named or found.
        status: what became of it.
        before: its bytes as read (b"" when it could not be read).
        after: its bytes as they should be; equal to before when nothing changes.
        findings: the sites in it, and what is to be said of the file as a whole.
        reason: why the file was skipped, failed or reverted.
        edits: what turns `before` into `after`, in order, apart from each other; only of a changed
            file.
        encoding: codec of the replacements in `edits`.
        pins: pins that earlier runs have written, or may have, and what became of each.
    """

    path: Path
    status: FileStatus
    before: bytes
    after: bytes
    findings: tuple[Finding, ...] = ()
    reason: str = ""
    edits: tuple[SourceEdit, ...] = ()
    encoding: str = "utf-8"
    pins: tuple[KeptPin, ...] = ()

    @property
    def text(self) -> str:
        """`after` as text: the new code, or that of before where nothing changes.

        Raises:
            SyntaxError: the file says that it has an encoding that there is not.
            UnicodeDecodeError: it is in another encoding than it says.
        """
        encoding, _ = tokenize.detect_encoding(io.BytesIO(self.after).readline)
        return self.after.decode(encoding)

    def rules_of(self, edit: SourceEdit) -> tuple[str, ...]:
        """The rules whose findings want an edit of this file, by name."""
        return tuple(sorted({self.findings[place].rule for place in edit.findings}))


def apply_source_edits(before: bytes, edits: Iterable[SourceEdit], encoding: str) -> bytes:
    """Return a file with some of its edits made.

    Args:
        before: the bytes that the edits are spans of.
        edits: in order, apart from each other.
        encoding: codec of the replacements.
    """
    pieces: list[bytes] = []
    position = 0
    for edit in edits:
        pieces += [before[position : edit.start], edit.replacement.encode(encoding)]
        position = edit.end
    return b"".join([*pieces, before[position:]])
