"""New lines that are too long, broken where a formatter would break them."""

from __future__ import annotations

import io
import itertools
import tokenize

from nnx_migrate.rewrite.text.edits import MAX_LINE

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def within_width(line: str, indent: int, unit: str, width: int = MAX_LINE) -> list[str]:
    """A statement on as many lines as it takes: what its last brackets hold stands between them.

    Args:
        line: the statement, or the head of one, with the indentation it has among the new lines.
        indent: how far all of the new lines are indented.
        unit: the indentation of what stands in brackets.
        width: of a line that is not too long.

    Returns:
        The line alone where it is short enough, or has nothing in brackets.
    """
    if indent + len(line) <= width:
        return [line]
    brackets = _last_brackets(line)
    if brackets is None:
        return [line]
    start, end, commas = brackets
    own = line[: len(line) - len(line.lstrip())]
    inner = line[start + 1 : end].strip()
    if not inner:
        return [line]
    head, tail = line[: start + 1], own + line[end:]
    if indent + len(own) + len(unit) + len(inner) <= width:
        return [head, f"{own}{unit}{inner}", tail]
    edges = [start, *commas, end]
    parts = [line[a + 1 : b].strip() for a, b in itertools.pairwise(edges)]
    return [head, *(f"{own}{unit}{part}," for part in parts if part), tail]


def _last_brackets(line: str) -> tuple[int, int, list[int]] | None:
    """The last pair that no other one is around, with the commas between what it holds."""
    depth = 0
    start, commas = 0, list[int]()
    found = None
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line.lstrip()).readline))
    except tokenize.TokenError:
        return None
    shift = len(line) - len(line.lstrip())
    for token in tokens:
        if token.type != tokenize.OP:
            continue
        place = token.start[1] + shift
        if token.string in _OPENING:
            depth += 1
            if depth == 1:
                start, commas = place, []
        elif token.string in _CLOSING:
            depth -= 1
            if depth == 0 and line[start] == "(":
                found = start, place, commas
        elif token.string == "," and depth == 1:
            commas.append(place)
    return found
