"""New lines that are too long, broken where a formatter would break them."""

from __future__ import annotations

import dataclasses
import io
import itertools
import keyword
import tokenize

from nnx_migrate.rewrite.text.edits import MAX_LINE

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def within_width(
    line: str, indent: int, unit: str, width: int = MAX_LINE, *, displays: bool = False
) -> list[str]:
    """A statement on as many lines as it takes: what its last brackets hold stands between them.

    Args:
        line: the statement, or the head of one, with the indentation it has among the new lines.
        indent: how far all of the new lines are indented.
        unit: the indentation of what stands in brackets.
        width: of a line that is not too long.
        displays: what ends in a list, a set or a dict is broken in the brackets of that.

    Returns:
        The line alone where it is short enough, or has nothing in brackets.
    """
    if indent + shown(line) <= width:
        return [line]
    brackets = _last_brackets(line, displays=displays)
    if brackets is None:
        return [line]
    own = line[: len(line) - len(line.lstrip())]
    inner = line[brackets.start + 1 : brackets.end].strip()
    if not inner:
        return [line]
    head, tail = line[: brackets.start + 1], own + line[brackets.end :]
    fits = indent + shown(own + unit + inner) <= width
    if not brackets.commas or (fits and not brackets.of_tuple):
        return [head, f"{own}{unit}{inner}", tail]
    edges = [brackets.start, *brackets.commas, brackets.end]
    parts = [line[a + 1 : b].strip() for a, b in itertools.pairwise(edges)]
    return [head, *(f"{own}{unit}{part}," for part in parts if part), tail]


def one_by_one(inner: str) -> list[str]:
    """What stands in brackets, each part of it for itself with its comma."""
    brackets = _last_brackets(f"f({inner})")
    if brackets is None or not brackets.commas:
        return [inner]
    edges = [-1, *(comma - len("f(") for comma in brackets.commas), len(inner)]
    parts = [inner[a + 1 : b].strip() for a, b in itertools.pairwise(edges)]
    return [f"{part}," for part in parts if part]


def shown(text: str) -> int:
    """How long a text is that begins with indentation: formatters take a tab for four."""
    return len(text.expandtabs(4))


@dataclasses.dataclass(slots=True)
class _Brackets:
    """A pair of brackets that no other one is around.

    Args:
        commas: those at which what it holds can be broken.
        of_tuple: they hold a tuple, or the like, and not what a call is given.
    """

    start: int
    end: int
    commas: list[int]
    of_tuple: bool


def _last_brackets(line: str, *, displays: bool = False) -> _Brackets | None:
    depth = 0
    found = last = None
    whole = False
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(line.lstrip()).readline))
    except tokenize.TokenError:
        return None
    shift = len(line) - len(line.lstrip())
    lambdas: list[int] = []  # how deep those stand whose parameters are being read
    for before, token in itertools.pairwise([tokens[0], *tokens]):
        place = token.start[1] + shift
        if token.string == "for" and depth == 1:
            whole = True  # the commas are those of its targets
        if token.string == "lambda":
            lambdas.append(depth)
        if token.type != tokenize.OP:
            continue
        if token.string in _OPENING:
            depth += 1
            if depth == 1:
                last, whole = _Brackets(place, place, [], not _ends_value(before)), False
        elif token.string in _CLOSING:
            depth -= 1
            if (
                depth == 0
                and last is not None
                and (line[last.start] == "(" or (displays and last.of_tuple))
            ):
                found = dataclasses.replace(last, end=place, commas=[] if whole else last.commas)
        elif token.string == ":" and lambdas[-1:] == [depth]:
            lambdas.pop()
        elif token.string == "," and depth == 1 and lambdas[-1:] != [depth]:
            assert last is not None
            last.commas.append(place)
    return found


def _ends_value(token: tokenize.TokenInfo) -> bool:
    """Whether brackets behind it are those of a call, or of parameters."""
    if token.type == tokenize.NAME:
        return not keyword.iskeyword(token.string)
    return token.string in _CLOSING
