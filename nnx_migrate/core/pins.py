"""Pins of earlier runs: which ones a run may take out, and the places that are left."""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path


@dataclasses.dataclass(frozen=True, slots=True)
class KeptPlace:
    """A place that this run is to pin, whatever the rules would make of it.

    Args:
        line: 1-based line in the file, of the name of the transform.
        reason: why, in words for the finding.
    """

    line: int
    reason: str


class Unpin(enum.StrEnum):
    """Which pins are planned again."""

    #: None of them.
    NONE = "none"
    #: Those that by their shape this program has written.
    OURS = "ours"
    #: Also those that it may have written: they look like a choice that somebody made.
    ALL = "all"


class Origin(enum.StrEnum):
    """Who keeps a place in graph mode, as far as its shape tells."""

    #: Written by this program: nobody else writes it so.
    OURS = "ours"
    #: This program writes it so, and people do.
    EITHER = "ours or chosen"
    #: This program never writes it so.
    CHOSEN = "chosen"


@dataclasses.dataclass(frozen=True, slots=True)
class PinnedPlace:
    """One place that is kept in graph mode.

    Args:
        path: the file, as it was named or found.
        line: 1-based line in the file.
        column: 1-based column in characters.
        cell: of a notebook, the cell and the line in it; 0 elsewhere.
        cell_line: that line.
        kept: what is kept: "nnx.jit"; empty for a setting.
        written: in which way.
        mode: "graph", or "mid" where objects are only shared.
        origin: who keeps it so.
        cause: the rule that needs it; `not-needed` where none does, `chosen-mode` where none was
            asked.
        reason: why it is needed, or what becomes of it without.
        way_out: what a person would do to be rid of it.
    """

    path: Path
    line: int
    column: int
    cell: int
    cell_line: int
    kept: str
    written: str
    mode: str
    origin: Origin
    cause: str
    reason: str
    way_out: str


@dataclasses.dataclass(frozen=True, slots=True)
class Pins:
    """All places of a tree that are kept in graph mode.

    Args:
        places: in the order of the files.
        transforms: how many transforms are applied in the tree.
        pinned: how many of them are in graph mode.
        unmigrated: places that have no pin, and that a run would rewrite or pin.
    """

    places: tuple[PinnedPlace, ...]
    transforms: int
    pinned: int
    unmigrated: int = 0
