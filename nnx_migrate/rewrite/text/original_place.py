"""Where code that an edit has written again stood before."""

from __future__ import annotations

import ast
import itertools


def statement_at(root: ast.AST, line: int) -> ast.stmt | None:
    """The statement without others in it that a line is of, or that begins there first."""
    found: ast.stmt | None = None
    for node in ast.iter_child_nodes(root):
        last = getattr(node, "end_lineno", None)
        if last is None:
            found = found or statement_at(node, line)  # a case of a match, a handler
        elif getattr(node, "lineno", line) <= line <= last:
            below = statement_at(node, line)
            own = node if isinstance(node, ast.stmt) and not hasattr(node, "body") else None
            found = found or own or below
    return found


def likest(now: str, span: tuple[int, int], was: str, region: tuple[int, int]) -> int:
    """Where, in a region of a text, what is written now was copied from.

    Of several places with the same words it is the one after which the text goes on alike.

    Args:
        now: the text with the copy.
        span: of words in it.
        was: the text as it was.
        region: of that, where the words may stand; where they do not, its start is the answer.
    """
    words, (begin, stop) = now[slice(*span)], region
    best, length = begin, -1
    place = was.find(words, begin, stop)
    while place >= 0:
        both = zip(was[place:stop], now[span[0] :], strict=False)
        alike = sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], both))
        if alike > length:
            best, length = place, alike
        place = was.find(words, place + 1, stop)
    return best
