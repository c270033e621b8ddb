"""Versions of code, told apart by what may change what it says."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Sequence
from pathlib import Path

# A text of so many words is told to people; decisions are made on types.
_WORDS = 3


def digest_of(files: Sequence[Path]) -> str:
    """The same for code that decides the same.

    Of comments, layout and messages nothing counts, nor does the file that a definition is in.

    Args:
        files: Python.
    """
    definitions: list[str] = []
    for file in files:
        tree = _WithoutMessages().visit(ast.parse(file.read_bytes()))
        # What they bring is a definition of another file, or of a library.
        own = [each for each in tree.body if not isinstance(each, (ast.Import, ast.ImportFrom))]
        definitions += map(ast.dump, own)
    return hashlib.sha256("\0".join(sorted(definitions)).encode()).hexdigest()[:8]


class _WithoutMessages(ast.NodeTransformer):
    def visit_Constant(self, node: ast.Constant) -> ast.Constant:  # as ast calls it
        return ast.Constant("") if _is_message(node.value) else node


def _is_message(value: object) -> bool:
    """Whether a value is a sentence: a query of a database has words in capitals."""
    words = value.split() if isinstance(value, str) else []
    return len(words) >= _WORDS and not any(len(each) > 1 and each.isupper() for each in words)
