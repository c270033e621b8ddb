"""A file without its pins, as it would stand had it never been pinned, and the way back.

All that is planned is planned on that text, so that a newer version comes to what it would have
come to at first. A site that is to be pinned again gets its pin back as it stood.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable, Sequence

from nnx_migrate.analysis.flax.transforms import SETTERS
from nnx_migrate.analysis.ir.parse import parse
from nnx_migrate.core.pins import Unpin
from nnx_migrate.rewrite.pinned.shapes import OldPin, old_pins
from nnx_migrate.rewrite.pinned.syntax import Syntax
from nnx_migrate.rewrite.text.edits import Edit, LineMap, Text, apply_edits
from nnx_migrate.sources.suppressions import parse_suppressions
from nnx_migrate.sources.text import Source


@dataclasses.dataclass(frozen=True, slots=True)
class Followed:
    """A pin that was taken out, by where it stood in the text of a round.

    Args:
        pin: as it stands in the file.
        at: where the name of what it pinned begins now; None when that is gone.
        undo: what puts it back as it stood; None when the code around it has changed.
    """

    pin: OldPin
    at: int | None
    undo: tuple[Edit, ...] | None

    def advanced(self, edits: Sequence[Edit]) -> Followed:
        """The same in the text that edits leave."""
        at = None if self.at is None else _moved(self.at, self.at + 1, edits)
        undo: tuple[Edit, ...] | None = None
        if self.undo is not None:
            begins = [_moved(each.start, each.end, edits) for each in self.undo]
            if None not in begins:
                undo = tuple(
                    Edit(begin, begin + each.end - each.start, each.replacement)
                    for each, begin in zip(self.undo, begins, strict=True)
                    if begin is not None
                )
        return Followed(self.pin, at, undo)


def _moved(start: int, end: int, edits: Sequence[Edit]) -> int | None:
    """Where a span begins once edits are made; None where one of them meets it."""
    shift = 0
    for edit in edits:
        if edit.end <= start and not edit.start == edit.end == start == end:
            shift += len(edit.replacement) - (edit.end - edit.start)
        elif edit.start < end or edit.start <= start:
            return None
    return start + shift


@dataclasses.dataclass(frozen=True, slots=True)
class Withdrawn:
    """A source without the pins that may be ours.

    Args:
        source: the file without them.
        pins: what was taken out, at its place in that.
        edits: what takes them out of the file as it is.
        text: of the file as it is, where anything was taken out.
    """

    source: Source
    pins: tuple[Followed, ...] = ()
    edits: tuple[Edit, ...] = ()
    text: Text | None = None

    def original(self, line: int) -> int:
        """The line of the file for a line of the source without pins."""
        lines = self.source.lines
        return lines[line - 1] if lines and 0 < line <= len(lines) else line

    def line_without(self, line: int) -> int:
        """The line of the source without pins for a line of the file."""
        lines = self.source.lines
        if line in lines:
            return lines.index(line) + 1
        # A pin took this line, for what stands behind it.
        behind = [at for at, original in enumerate(lines, start=1) if original > line]
        return behind[0] if behind else line


def withdrawn(source: Source, unpin: Unpin, left: Collection[OldPin] = frozenset()) -> Withdrawn:
    """Take pins out of a file, in memory.

    Args:
        source: the file, with the bytes that it has.
        unpin: which ones.
        left: pins to leave where they are.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    text = source.text
    if unpin is Unpin.NONE or not _may_hold(text, unpin):
        return Withdrawn(source)
    known = Text(text)
    pins = old_pins(Syntax(known, parse(text)))
    if unpin is Unpin.OURS:
        pins = _certain(pins)
    pins = [pin for pin in _apart(pins) if pin not in left]
    if not pins or parse_suppressions(text).skip_file:
        return Withdrawn(source)
    edits = tuple(sorted(edit for pin in pins for edit in pin.edits))
    after = apply_edits(text, edits)
    parse(after)
    lines = LineMap(len(known.line_starts))
    lines.advance(known, edits)
    numbers = tuple(lines.original(n) for n in range(1, len(Text(after).line_starts) + 1))
    changed = dataclasses.replace(
        source,
        text=after,
        data=source.encode(after),
        lines=numbers,
        stands=tuple(source.stands[min(n, len(source.stands)) - 1] for n in numbers)
        if source.stands
        else (),
    )
    return Withdrawn(changed, tuple(_followed(text, pin, edits) for pin in pins), edits, known)


def _may_hold(text: str, unpin: Unpin) -> bool:
    """A cheap check before the file is parsed."""
    if "nnx" not in text:
        return False
    ours = SETTERS[0] in text and "compat" in text
    return ours or (
        unpin is Unpin.ALL and any(w in text for w in ("compat", "graph=True", SETTERS[0]))
    )


def _certain(pins: Sequence[OldPin]) -> list[OldPin]:
    """Those that are ours, and that no other one in their functions may have been written for."""
    others = frozenset[str]().union(*(pin.within for pin in pins if not pin.ours))
    return [pin for pin in pins if pin.ours and others.isdisjoint(pin.runs)]


def _apart(pins: Iterable[OldPin]) -> list[OldPin]:
    """Pins of which no two edits meet."""
    found: list[OldPin] = []
    spans: list[tuple[int, int]] = []
    for pin in pins:
        own = [(edit.start, edit.end) for edit in pin.edits]
        if not any(a < d and c < b for a, b in own for c, d in spans):
            found.append(pin)
            spans += own
    return found


def _followed(text: str, pin: OldPin, edits: Sequence[Edit]) -> Followed:
    def at(place: int) -> int:
        before = [e for e in edits if e.end <= place]
        return place + sum(len(e.replacement) - (e.end - e.start) for e in before)

    undo = tuple(
        Edit(at(e.start), at(e.start) + len(e.replacement), text[e.start : e.end])
        for e in pin.edits
    )
    return Followed(pin, at(pin.start), undo)
