"""Where things stand in a JSON text: the values of an object and the lines of its strings.

The values in between are skipped by the scanner of the standard library, which is written in C, so
a notebook with megabytes of images takes no longer than `json.loads`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Iterator
from json import decoder
from typing import Any

_SPACE = re.compile(r"[ \t\n\r]*")
_ESCAPE = re.compile(r"\\r\\n|\\u000[dD]\\u000[aA]|\\u[0-9a-fA-F]{4}|\\.", re.DOTALL)
_LINE_ENDS = frozenset({r"\r\n", r"\n", r"\r"})
# The scanners of the decoder, which have no types.
_scan = json.JSONDecoder().scan_once  # type: ignore[attr-defined]
_scan_string = decoder.scanstring  # type: ignore[attr-defined]


class Malformed(ValueError):
    """A text that is no JSON, or not of the expected shape; the text says where."""


@dataclasses.dataclass(frozen=True, slots=True)
class RawLine:
    """A line in a JSON string.

    Args:
        start: where it begins in the file, in characters.
        body: how it is written, without the end of the line.
        end: how the end of the line is written, or "".
        text: what it says, without the end of the line.
    """

    start: int
    body: str
    end: str
    text: str


def members(text: str, start: int) -> Iterator[tuple[str, int]]:
    """Yield the keys of the object at `start` and where their values begin.

    Raises:
        Malformed: there is no object, or it is not closed.
    """
    for at in _parts(text, start, "{", "}"):
        if text[at : at + 1] != '"':
            raise _malformed(text, at, "a key was expected")
        try:
            key, at = _scan_string(text, at + 1, True)
        except json.JSONDecodeError as error:
            raise Malformed(str(error)) from None
        at = _skip(text, at)
        if text[at : at + 1] != ":":
            raise _malformed(text, at, "a colon was expected")
        yield key, _skip(text, at + 1)


def items(text: str, start: int) -> Iterator[int]:
    """Yield where the items of the array at `start` begin.

    Raises:
        Malformed: there is no array, or it is not closed.
    """
    return _parts(text, start, "[", "]")


def value(text: str, start: int) -> tuple[Any, int]:
    """The value at `start` and where it ends.

    Raises:
        Malformed: there is none.
    """
    try:
        found: tuple[Any, int] = _scan(text, start)
    except StopIteration as error:
        raise _malformed(text, error.value, "a value was expected") from None
    except json.JSONDecodeError as error:
        raise Malformed(str(error)) from None
    return found


def lines_of(text: str, start: int, end: int) -> list[RawLine]:
    """The lines of the string that stands, quotes included, at `start`."""
    body = text[start + 1 : end - 1]
    found: list[RawLine] = []
    begin = 0
    for escape in _ESCAPE.finditer(body):
        written = escape[0].lower()
        if written in _LINE_ENDS or written in (r"\u000a", r"\u000d", r"\u000d\u000a"):
            found.append(_line(start + 1, body, begin, escape.start(), escape[0]))
            begin = escape.end()
    if begin < len(body):
        found.append(_line(start + 1, body, begin, len(body), ""))
    return found


def column_in(body: str, column: int) -> int:
    """How many characters the first `column` characters of a line take as they are written."""
    at = 0
    for _ in range(column):
        escape = _ESCAPE.match(body, at)
        at = escape.end() if escape else at + 1
    return at


def _line(offset: int, body: str, begin: int, stop: int, end: str) -> RawLine:
    written = body[begin:stop]
    said = json.loads(f'"{written}"') if "\\" in written else written
    return RawLine(offset + begin, written, end, said)


def _parts(text: str, start: int, opening: str, closing: str) -> Iterator[int]:
    """Yield where each part of a bracketed list begins; each is skipped when the next is wanted."""
    if text[start : start + 1] != opening:
        raise _malformed(text, start, f"{opening} was expected")
    at = _skip(text, start + 1)
    if text[at : at + 1] == closing:
        return
    while True:
        yield at
        if opening == "{":
            _, at = _scan_string(text, at + 1, True)
            at = _skip(text, _skip(text, at) + 1)
        _, at = value(text, at)
        at = _skip(text, at)
        if text[at : at + 1] == closing:
            return
        if text[at : at + 1] != ",":
            raise _malformed(text, at, f"a comma or {closing} was expected")
        at = _skip(text, at + 1)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _malformed(text: str, at: int, what: str) -> Malformed:
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return Malformed(f"{what}: line {line} column {column}")
