"""Puts back what a run has written, file by file, and leaves what was edited since."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator, Sequence
from pathlib import Path

from nnx_migrate.sources.journal import Entry, Run, digest
from nnx_migrate.sources.walk.scanning import read_file
from nnx_migrate.sources.write import Replacement, WriteError, remove_leftovers, replace_file


class Undone(enum.StrEnum):
    """What became of a file."""

    RESTORED = "put back"
    UNTOUCHED = "is as it was"
    REFUSED = "left alone"


@dataclasses.dataclass(frozen=True, slots=True)
class Restored:
    """A file of a run that is undone.

    Args:
        path: the file.
        outcome: what became of it.
        reason: why it was left alone; "" where it was not.
    """

    path: Path
    outcome: Undone
    reason: str = ""


def undo(run: Run) -> Iterator[Restored]:
    """Puts the files of a run back.

    Args:
        run: an earlier run.

    Yields:
        Each file, once it is done.

    Raises:
        NoJournal: the journal cannot be read.
    """
    complete = True
    entries = run.entries()
    remove_leftovers(entry.path for entry in entries)
    for entry in entries:
        restored = _restored(entry, run.trees or (str(run.root),))
        complete = complete and restored.outcome is not Undone.REFUSED
        yield restored
    if complete:
        run.mark_undone()


def _restored(entry: Entry, trees: Sequence[str]) -> Restored:
    try:
        current = read_file(entry.path)
    except OSError as error:
        return Restored(entry.path, Undone.REFUSED, error.strerror or str(error))
    found = digest(current)
    if found == entry.old:
        return Restored(entry.path, Undone.UNTOUCHED)
    if found != entry.new:
        return Restored(entry.path, Undone.REFUSED, "it was edited since")
    try:
        replace_file(Replacement(entry.path, current, entry.before), trees)
    except WriteError as error:
        return Restored(entry.path, Undone.REFUSED, error.reason)
    return Restored(entry.path, Undone.RESTORED)
