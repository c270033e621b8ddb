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
    return _blanked(text) or text


def _newer(text: str) -> ast.Module | None:
    blanked = _blanked(text)
    if blanked is None:
        return None
    from nnx_migrate.sources.newer_syntax.newer_tree import as_newer

    return as_newer(ast.parse(blanked), text, blanked)


# It hangs on the text alone, for the Python that runs: what is asked for several texts in turn is
# not looked for again.
@functools.lru_cache(maxsize=32)
def _blanked(text: str) -> str | None:
    """A newer text as this Python can read it; None for one that it reads, or cannot at all."""
    if not _MAY_BE_NEWER.search(text) or _is_read(text):
        return None
    from nnx_migrate.sources.newer_syntax.blanking import blanked  # not for files that need none

    found = blanked(text)
    return found if found and found != text and _is_read(found) else None


def _is_read(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True
