"""The names that expressions mention, at any depth."""

from __future__ import annotations

import re
import typing
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.ir import nodes as ir

_EXPRESSIONS = typing.get_args(ir.Expr)
_WORD = re.compile(r"\w+")


def names_in(expressions: Iterable[ir.Expr]) -> set[str]:
    """The variables that expressions mention; strings that may be annotations count as names."""
    found: set[str] = set()
    for each in _within(expressions):
        match each:
            case ir.Name(id=name):
                found.add(name)
            case ir.Constant(type="str", text=text):
                found.update(words_in(text))
            case _:
                pass
    return found


def mentioned_in(annotations: Iterable[ir.Expr]) -> set[str]:
    """The last names of all that annotations mention: `configs.Config`, `"Config | None"`."""
    parts = list(_within(annotations))
    attributes = {each.name for each in parts if isinstance(each, ir.Attribute)}
    targets = {each.target.rpartition(".")[2] for each in parts if isinstance(each, ir.ImportRef)}
    return names_in(annotations) | attributes | targets


def words_in(text: str) -> list[str]:
    """What may be names in a string."""
    return _WORD.findall(text)


def imports_in(expressions: Iterable[ir.Expr]) -> set[str]:
    """The dotted names that expressions import."""
    return {each.target for each in _within(expressions) if isinstance(each, ir.ImportRef)}


def _within(expressions: Iterable[ir.Expr]) -> Iterator[object]:
    waiting: list[object] = list(expressions)
    while waiting:
        each = waiting.pop()
        if isinstance(each, tuple):
            waiting += each
        elif isinstance(each, _EXPRESSIONS):
            yield each
            waiting += [getattr(each, name) for name in type(each).__match_args__]
