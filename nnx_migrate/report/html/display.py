"""Lines as the page gets them: nothing hidden, nothing too long, cut into stretches of one look.

A line is `[text, looks]`: for each stretch a letter (large where the words differ) and how many
UTF-16 units it takes, as JavaScript counts. What cannot be seen, or would move what stands beside
it, is written as an escape: control characters, direction marks, spaces without width.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from nnx_migrate.report.html.colours import PLAIN, Stretch
from nnx_migrate.report.html.words import Span

ShownLine = list[str] | str

#: Letters for what does not stand in the file as it is shown.
ESCAPE, GAP, MARKED_PLAIN = "x", "g", "M"
_LONGEST = 2_000
_LEAD = 200
# Neither hides anything: a tab is indentation, and U+3000 a space as wide as a letter beside it.
_SEEN = frozenset("\t\u3000")
# Letters and marks to Unicode, and nothing on the screen.
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def visible(text: str) -> str:
    """Return a text of one line with everything that cannot be seen as an escape."""
    if _is_plain(text):
        return text
    return "".join(char if _is_seen(char) else escaped(char) for char in text)


def escaped(text: str) -> str:
    r"""Return characters as escapes; a byte that is no text (in a file name) as \xNN."""
    return "".join(
        f"\\x{ord(char) - 0xDC00:02x}"
        if "\udc80" <= char <= "\udcff"
        else char.encode("unicode_escape").decode()
        for char in text
    )


def shown_line(
    text: str, stretches: Sequence[Stretch], marks: Sequence[Span] = (), end: str = ""
) -> ShownLine:
    """Return a line as the page gets it.

    Args:
        text: without its end.
        stretches: its syntax; none when it has no colours.
        marks: what differs from the other version of the line.
        end: how it ends, in words, where that is not as in the rest of the file.
    """
    window = _window(len(text), marks)
    parts: list[tuple[str, str]] = []
    if window.start:
        parts.append((GAP, f"[{window.start:,} characters before]"))
    for letter, start, stop in _pieces(len(text), stretches, marks):
        piece = text[max(start, window.start) : min(stop, window.stop)]
        parts += _apart(piece, letter)
    if window.stop < len(text):
        parts.append((GAP, f"[{len(text) - window.stop:,} more characters]"))
    if end:
        parts.append((GAP, end))
    looks = "".join(f"{letter}{_units(part)}" for letter, part in parts if part)
    shown = "".join(part for _, part in parts)
    return [shown, looks] if looks.strip(f"{PLAIN}0123456789") else shown


def _window(length: int, marks: Sequence[Span]) -> range:
    if length <= _LONGEST:
        return range(length)
    first = marks[0][0] if marks else 0
    start = 0 if first < _LONGEST - _LEAD else min(first - _LEAD, length - _LONGEST)
    return range(start, start + _LONGEST)


def _pieces(
    length: int, stretches: Sequence[Stretch], marks: Sequence[Span]
) -> Iterator[tuple[str, int, int]]:
    """Letter, start and end of what has one look."""
    whole = sum(size for _, size in stretches) == length
    bounds: list[tuple[int, str]] = []
    position = 0
    for letter, size in stretches if whole else [(PLAIN, length)]:
        position += size
        bounds.append((position, letter))
    edges = sorted({0, length, *(stop for stop, _ in bounds), *(e for span in marks for e in span)})
    at = 0
    for start, stop in itertools.pairwise(edges):
        while bounds[at][0] <= start:
            at += 1
        letter = bounds[at][1]
        if any(a <= start and stop <= b for a, b in marks):
            letter = MARKED_PLAIN if letter == PLAIN else letter.upper()
        yield letter, start, stop


def _apart(piece: str, letter: str) -> Iterator[tuple[str, str]]:
    """A stretch, with its escapes apart."""
    if _is_plain(piece):
        yield letter, piece
        return
    marked = letter.isupper()
    kept = ""
    for char in piece:
        if _is_seen(char):
            kept += char
            continue
        if kept:
            yield letter, kept
        kept = ""
        yield ESCAPE.upper() if marked else ESCAPE, escaped(char)
    if kept:
        yield letter, kept


def _is_seen(char: str) -> bool:
    return char in _SEEN or _is_plain(char)


def _is_plain(text: str) -> bool:
    return text.isprintable() and (text.isascii() or not _UNSEEN.search(text))


def _units(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2
