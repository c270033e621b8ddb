"""Python's own parser, without what it says about style on the side."""

from __future__ import annotations

import ast
import warnings


def parse(text: str) -> ast.Module:
    r"""Parse a file's text.

    Invalid escapes ("\d") and the like are the file's own affair; Python would tell of them on
    stderr, without the name of the file.

    Raises:
        SyntaxError, RecursionError, MemoryError, ValueError: from Python's parser.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(text)
