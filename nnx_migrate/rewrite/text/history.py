"""Edits of several rounds as one set of spans over the text as it was, with what each is for.

Each round edits the text that the round before has left. What is kept of the original stays in
its order, because no edit moves text, so whatever lies between two kept pieces is one span.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.core.findings import Finding
from nnx_migrate.rewrite.text.edits import Edit


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """A span of the original text and what takes its place.

    Args:
        start: character offset.
        end: character offset behind it.
        replacement: the new text.
        findings: what it is for.
    """

    start: int
    end: int
    replacement: str
    findings: tuple[Finding, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class _Piece:
    """Original text (`start` to `end`), or new text, which is empty where text was taken out."""

    start: int
    end: int
    new: str | None = None
    findings: tuple[Finding, ...] = ()

    def __len__(self) -> int:
        return self.end - self.start if self.new is None else len(self.new)

    def split(self, place: int) -> tuple[_Piece, _Piece]:
        if self.new is None:
            middle = self.start + place
            return _Piece(self.start, middle), _Piece(middle, self.end)
        first = dataclasses.replace(self, new=self.new[:place])
        return first, dataclasses.replace(self, new=self.new[place:])


class History:
    """What became of a text, round by round.

    Args:
        text: the text as it was.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._pieces = [_Piece(0, len(text))]
        self._round = 0
        #: Findings that go together although they share no edit.
        self.together: list[Finding] = []
        #: The round that each finding was first edited in.
        self.rounds: dict[Finding, int] = {}

    def advance(self, edits: Sequence[Edit], owners: Mapping[Edit, tuple[Finding, ...]]) -> None:
        """Account for a round of edits, in the order that `apply_edits` makes them in.

        Args:
            edits: spans of the text as the rounds before have left it.
            owners: by edit, the findings that want it.
        """
        source = _Reader(self._pieces)
        done: list[_Piece] = []
        for edit in sorted(edits, key=lambda e: (e.start, e.end)):
            done += source.until(edit.start)
            gone = source.until(edit.end) if edit.end > edit.start else []
            findings = [*owners[edit], *(f for piece in gone for f in piece.findings)]
            done.append(_Piece(0, 0, edit.replacement, tuple(dict.fromkeys(findings))))
            for finding in owners[edit]:
                self.rounds.setdefault(finding, self._round)
        done += source.rest()
        self._pieces = done
        self._round += 1

    def renamed(self, names: Mapping[Finding, tuple[Finding, ...]]) -> None:
        """Let edits be for other findings than was said when they were made."""
        if not names:
            return
        self._pieces = [
            dataclasses.replace(
                piece,
                findings=tuple(
                    dict.fromkeys(n for f in piece.findings for n in names.get(f, (f,)))
                ),
            )
            for piece in self._pieces
        ]
        for finding, others in names.items():
            begun = self.rounds.pop(finding, 0)
            for other in others:
                self.rounds.setdefault(other, begun)

    def original(self, position: int) -> tuple[int, bool]:
        """Where a character of the text as it is now stood, and whether it did.

        Of new text it is where that was put.
        """
        passed = last = 0
        for piece in self._pieces:
            if position < passed + len(piece):
                kept = piece.new is None
                return (piece.start + position - passed if kept else last), kept
            passed += len(piece)
            last = piece.end if piece.new is None else last
        return last, False

    def written(self) -> Iterator[tuple[int, int, tuple[Finding, ...]]]:
        """Spans of the text as it is now that edits have written, with what they are for.

        A span is empty where they have taken text out.
        """
        position = 0
        for piece in self._pieces:
            if piece.new is not None:
                yield position, position + len(piece), piece.findings
            position += len(piece)

    def changes(self) -> Iterator[Change]:
        """Yield what differs from the original, in order; no two changes touch."""
        position, pending = 0, list[_Piece]()
        for piece in [*self._pieces, _Piece(len(self._text), len(self._text))]:
            if piece.new is not None:
                pending.append(piece)
                continue
            last = piece.start == piece.end == len(self._text)
            if not len(piece) and not last:
                continue
            replacement = "".join(p.new or "" for p in pending)
            if replacement != self._text[position : piece.start]:
                findings = dict.fromkeys(f for p in pending for f in p.findings)
                yield Change(position, piece.start, replacement, tuple(findings))
            position, pending = piece.end, []


class _Reader:
    """Takes pieces off the front of a text."""

    def __init__(self, pieces: Sequence[_Piece]) -> None:
        self._left = list(reversed(pieces))
        self._position = 0

    def until(self, offset: int) -> list[_Piece]:
        """All pieces up to an offset, those without text at the offset among them."""
        taken: list[_Piece] = []
        while self._left and self._position + len(self._left[-1]) <= offset:
            taken.append(self._left.pop())
            self._position += len(taken[-1])
        if self._position < offset:
            first, rest = self._left.pop().split(offset - self._position)
            taken.append(first)
            self._left.append(rest)
            self._position = offset
        return taken

    def rest(self) -> list[_Piece]:
        return self._left[::-1]
