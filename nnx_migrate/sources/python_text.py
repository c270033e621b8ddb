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
#: The last texts that Python has read by itself, and how many are kept.
_read: dict[str, None] = {}
_MOST_READ = 8


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
            tree = ast.parse(text)
        except SyntaxError as error:
            newer = _newer(text)
            if newer is None:
                raise error from None
            return newer
    # What asks for it as a text next need not try again.
    _read[text] = None
    for oldest in list(_read)[:-_MOST_READ]:
        _read.pop(oldest, None)
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
    if text in _read:
        return True
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except (SyntaxError, ValueError):
            return False
    return True
