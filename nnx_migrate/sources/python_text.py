"""Text as Python's own parser reads it, and newer Python than the one that runs."""

from __future__ import annotations

import ast
import functools
import re
import warnings

#: What only a newer Python may read has one of these: nothing else is worth a second look.
_MAY_BE_NEWER = re.compile(
    r"\b(?:def|class)\s[^\n(:]*\["
    r"|(?<![\w.])(?:type|lazy)\s"
    r"|\bexcept\b[^\n:]*,"
    r"|\b(?:[fFtT][rR]?|[rR][fFtT])[\"']"
)
#: Hashes of the texts that were found to be newer.
_NEWER: set[int] = set()


def parse(text: str) -> ast.Module:
    r"""Parse a file's text, also when it is of a newer Python than this one.

    Invalid escapes ("\d") and the like are the file's own affair; Python would tell of them on
    stderr, without the name of the file.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError as error:
            tree = _newer(text)
            if tree is None:
                raise error from None
            return tree


def readable(text: str) -> str:
    """A text that was parsed, with what is newer than this Python blanked, place for place.

    It is what `symtable` and `tokenize` can be given.
    """
    return (_blanked(text) or text) if hash(text) in _NEWER else text


def _newer(text: str) -> ast.Module | None:
    blanked = _blanked(text)
    if blanked is None or blanked == text:
        return None
    try:
        tree = ast.parse(blanked)
    except (SyntaxError, ValueError):
        return None
    from nnx_migrate.sources.newer_syntax.newer_tree import as_newer

    _NEWER.add(hash(text))
    return as_newer(tree, text, blanked)


@functools.lru_cache(maxsize=32)
def _blanked(text: str) -> str | None:
    if not _MAY_BE_NEWER.search(text):
        return None
    from nnx_migrate.sources.newer_syntax.blanking import blanked  # not for files that need none

    return blanked(text)
