"""Which words differ between two versions of a line."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]

_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_NEXT_TO = re.compile(r"\s*[^\w\s]?\s*")
# Lines past this are compared by their ends alone.
_MOST_WORDS = 300
# Where a word is longer, only what differs of it is marked.
_LONGEST_WORD = 100


def words_of(line: str) -> list[str]:
    """Return names, numbers and signs of a line, without the white space."""
    return [word for word in _WORD.findall(line[: _MOST_WORDS * 8]) if not word.isspace()]


def differing_words(old: str, new: str) -> tuple[tuple[Span, ...], tuple[Span, ...]]:
    """Return what of the old line is gone and what of the new one has come, as spans."""
    # What both lines begin and end with needs no search, which is what keeps long ones cheap.
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    left = _tokens(old, head, len(old) - tail)
    right = _tokens(new, head, len(new) - tail)
    if max(len(left), len(right)) > _MOST_WORDS:
        return ((head, len(old) - tail),), ((head, len(new) - tail),)
    was, now = [old[a:b] for a, b in left], [new[a:b] for a, b in right]
    matcher = difflib.SequenceMatcher(None, was, now, autojunk=False)
    gone: list[Span] = []
    come: list[Span] = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if tag != "equal":
            gone += [(left[i1][0], left[i2 - 1][1])] if i2 > i1 else []
            come += [(right[j1][0], right[j2 - 1][1])] if j2 > j1 else []
    return tuple(_joined(old, gone)), tuple(_joined(new, come))


def _common(left: str, right: str) -> int:
    limit = min(len(left), len(right))
    if left[:limit] == right[:limit]:
        return limit
    return next(i for i in range(limit) if left[i] != right[i])


def _tokens(line: str, start: int, stop: int) -> Sequence[Span]:
    """The words that lie in a span of the line or reach into it."""
    first, last = start - _LONGEST_WORD, stop + _LONGEST_WORD
    while start > max(0, first) and _is_of_word(line[start - 1]):
        start -= 1
    while stop < min(len(line), last) and _is_of_word(line[stop]):
        stop += 1
    found = []
    for match in _WORD.finditer(line, start, stop):
        found.append(match.span())
        if len(found) > _MOST_WORDS:
            break
    return found


def _is_of_word(char: str) -> bool:
    return char.isalnum() or char == "_"


def _joined(line: str, spans: Sequence[Span]) -> Iterator[Span]:
    """One mark for what only a sign or white space keeps apart."""
    current: Span | None = None
    for span in spans:
        if current is None:
            current = span
        elif _NEXT_TO.fullmatch(line, current[1], span[0]):
            current = (current[0], span[1])
        else:
            yield current
            current = span
    if current is not None:
        yield current
