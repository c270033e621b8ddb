"""The lines of a source text, and which of two texts belong side by side."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from nnx_migrate.report.html.words import Span, differing_words, words_of

# What Python's parser counts as the end of a line; str.splitlines knows more (form feeds, \x85).
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")
# Of a block with more pairs of lines it is not looked for which belong together.
_MOST_PAIRS = 10_000
_ALIKE = 0.45


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    r"""One line.

    Args:
        text: without its end.
        end: "\n", "\r\n", "\r", or "" for a last line that is not ended.
    """

    text: str
    end: str


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """What stands side by side.

    Args:
        old: 0-based line of the old text; None where nothing stands there.
        new: likewise of the new text.
        equal: both lines are the same.
        old_marks: what is gone, where the two lines are versions of each other.
        new_marks: what came in its place.
    """

    old: int | None
    new: int | None
    equal: bool = False
    old_marks: tuple[Span, ...] = ()
    new_marks: tuple[Span, ...] = ()


def split_lines(text: str) -> list[Line]:
    """Take a text apart, at the places where Python does."""
    lines = [Line(*match.groups()) for match in _LINE.finditer(text)]
    # The pattern also matches the nothing behind the last line.
    while lines and not lines[-1].text and not lines[-1].end:
        lines.pop()
    return lines


def same_rows(old: range, new: range) -> Iterator[Row]:
    """Yield rows of lines that are the same on both sides."""
    for i, j in zip(old, new, strict=True):
        yield Row(i, j, equal=True)


def changed_rows(
    old: Sequence[Line], new: Sequence[Line], gone: range, come: range
) -> Iterator[Row]:
    """Put versions of one line side by side, and what is left between them as it comes."""
    i, j = gone.start, come.start
    for old_line, new_line in [*_versions(old, new, gone, come), (gone.stop, come.stop)]:
        yield from _unlike(range(i, old_line), range(j, new_line))
        if old_line < gone.stop:
            marks = differing_words(old[old_line].text, new[new_line].text)
            yield Row(old_line, new_line, False, *marks)
        i, j = old_line + 1, new_line + 1


def _unlike(gone: range, come: range) -> Iterator[Row]:
    for offset in range(max(len(gone), len(come))):
        yield Row(
            gone[offset] if offset < len(gone) else None,
            come[offset] if offset < len(come) else None,
        )


def _versions(
    old: Sequence[Line], new: Sequence[Line], gone: range, come: range
) -> list[tuple[int, int]]:
    """The pairs of lines, in order on both sides, that are most alike together."""
    if not gone or not come or len(gone) * len(come) > _MOST_PAIRS:
        return []
    left = [Counter(words_of(old[i].text)) for i in gone]
    right = [Counter(words_of(new[j].text)) for j in come]
    alike = [[_likeness(a, b) for b in right] for a in left]
    best = [[0.0] * (len(come) + 1) for _ in range(len(gone) + 1)]
    for i in reversed(range(len(gone))):
        for j in reversed(range(len(come))):
            paired = best[i + 1][j + 1] + alike[i][j]
            best[i][j] = max(best[i + 1][j], best[i][j + 1], paired)
    pairs = []
    i = j = 0
    while i < len(gone) and j < len(come):
        if alike[i][j] and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            pairs.append((gone[i], come[j]))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def _likeness(left: Counter[str], right: Counter[str]) -> float:
    total = left.total() + right.total()
    if not total:
        return 0.0
    ratio = 2 * (left & right).total() / total
    return ratio if ratio >= _ALIKE else 0.0
