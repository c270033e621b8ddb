"""Code in reStructuredText: code-block, code, testcode and the like, and bare doctest blocks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from nnx_migrate.sources.documents.chunks import PYTHON, Chunk, width

_DIRECTIVE = re.compile(r"(?P<indent>[ \t]*)\.\.[ \t]+(?P<name>[\w:.-]+)::[ \t]*(?P<argument>\S*)")
_OPTION = re.compile(r"[ \t]+:[\w-]+:")
_PROMPT = re.compile(r"[ \t]*>>>(?: |\r?\n|$)")
_BLOCKS = frozenset({"code-block", "code", "sourcecode"})
_TESTS = frozenset({"testcode", "testsetup", "testcleanup", "doctest"})
_CELLS = frozenset({"jupyter-execute", "code-cell"})
#: Two versions of a code, one above the other (sphinx codediff, as Flax has it).
_VERSIONS = frozenset({"codediff"})


def scan_rst(lines: Sequence[str]) -> Iterator[Chunk]:
    """Yield what should be Python.

    Args:
        lines: the lines of the page.
    """
    at = 0
    while at < len(lines):
        directive = _DIRECTIVE.match(lines[at])
        if directive is not None and (kind := _kind(directive)):
            first, stop = _body(lines, at + 1, len(directive["indent"]))
            if kind == "versions":
                cuts = [n for n in range(first, stop) if lines[n].strip() == "---"]
                for begin, end in zip([first, *(c + 1 for c in cuts)], [*cuts, stop], strict=True):
                    yield Chunk(begin, end)
            elif kind != "other":
                yield Chunk(first, stop, 0, kind == "cell", directive["name"] == "doctest")
            at = stop
        elif _PROMPT.match(lines[at]):
            stop = at
            while stop < len(lines) and lines[stop].strip():
                stop += 1
            yield Chunk(at, stop, prompts=True)
            at = stop
        else:
            at += 1


def _kind(directive: re.Match[str]) -> str:
    name, argument = directive["name"], directive["argument"].lower()
    if name in _VERSIONS:
        return "versions"
    if name in _TESTS:
        return "code"
    if name in _CELLS:
        return "cell"
    if name in _BLOCKS:
        return "code" if not argument or argument in PYTHON else "other"
    return ""


def _body(lines: Sequence[str], at: int, indent: int) -> tuple[int, int]:
    """The lines of a directive's content, without its options and the blank lines around."""
    while at < len(lines) and _OPTION.match(lines[at]):
        at += 1
    stop = at
    while stop < len(lines) and (not lines[stop].strip() or width(lines[stop]) > indent):
        stop += 1
    while stop > at and not lines[stop - 1].strip():
        stop -= 1
    while at < stop and not lines[at].strip():
        at += 1
    return at, stop
