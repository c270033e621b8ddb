"""Parses all Python files below a folder, and does nothing else: a process to compare with.

python -m benchmarks.parsing ast|libcst FOLDER
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path


def sources(folder: Path) -> Iterator[Path]:
    """The Python files below a folder, in order."""
    return (path for path in sorted(folder.rglob("*.py")) if path.is_file())


def _with_ast() -> tuple[Callable[[bytes], object], tuple[type[Exception], ...]]:
    return ast.parse, (SyntaxError, ValueError, RecursionError)


def _with_libcst() -> tuple[Callable[[bytes], object], tuple[type[Exception], ...]]:
    import libcst  # what parses with Python's own parser does not pay for it

    def parse_and_emit(text: bytes) -> bytes:
        return libcst.parse_module(text).bytes

    return parse_and_emit, (libcst.ParserSyntaxError, UnicodeDecodeError, RecursionError)


def main(by: str, folder: Path) -> int:
    """Parses them; says how many could be."""
    parse, failing = _with_ast() if by == "ast" else _with_libcst()
    count = 0
    for path in sources(folder):
        try:
            parse(path.read_bytes())
        except failing:
            continue
        count += 1
    print(count)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], Path(sys.argv[2])))
