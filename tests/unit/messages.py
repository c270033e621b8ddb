"""The table of messages: every sentence in the code that a person may read, with its place.

Sentences are string literals and f-strings of the packages below; docstrings, SQL, patterns, and
templates of code are left out. What is put in braces stands as `x`.
"""

from __future__ import annotations

import ast
import dataclasses
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_PACKAGES = ("nnx_migrate", "codemods/nnx_codemods")
_SQL = re.compile(r"\b(SELECT|INSERT|UPDATE|DELETE|CREATE|PRAGMA|DROP)\b")
#: Code that is written into a program, and regular expressions.
_CODE = re.compile(r"\\[sdbw]|^[@#]|\bdef |\breturn |\blambda |\bimport |[\]\[)(,] ?= | = |\(\?")
_WORD = re.compile(r"^[\"'(]*[A-Za-z][a-z'-]*[\"')]*[.,:;?]*$")


@dataclasses.dataclass(frozen=True)
class Message:
    """One sentence.

    Args:
        place: "path:line".
        text: as it is written, with `x` for what is put in.
    """

    place: str
    text: str

    def __str__(self) -> str:
        return f"{self.place}: {self.text}"


def messages() -> Iterator[Message]:
    """All of the table, in the order of files and lines."""
    for package in _PACKAGES:
        for file in sorted((ROOT / package).rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            for line, text in _strings(tree):
                if _is_sentence(text):
                    yield Message(f"{file.relative_to(ROOT)}:{line}", " ".join(text.split()))


def _strings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    skipped = {id(each) for node in ast.walk(tree) for each in _not_by_itself(node)}
    for node in ast.walk(tree):
        if id(node) in skipped:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, re.sub(r"\{[^{}]*\}", "`x`", node.value)
        elif isinstance(node, ast.JoinedStr):
            parts = (
                each.value if isinstance(each, ast.Constant) else "`x`" for each in node.values
            )
            yield node.lineno, "".join(map(str, parts))


def _not_by_itself(node: ast.AST) -> Iterator[ast.AST]:
    """Docstrings, and the parts of f-strings."""
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        first = node.body[0] if node.body else None
        if isinstance(first, ast.Expr):
            yield first.value
    if isinstance(node, ast.JoinedStr):
        yield from (each for each in ast.walk(node) if each is not node)


def _is_sentence(text: str) -> bool:
    if _SQL.search(text) or _CODE.search(text) or "<" in text:
        return False
    words = text.split()
    plain = sum(bool(_WORD.match(word)) for word in words)
    return plain >= 3 and 2 * plain > len(words)
