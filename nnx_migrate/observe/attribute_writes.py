"""Finds the statements of a function that write attributes, and puts what tells of them first."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import NamedTuple

from nnx_migrate.sources.facts.observed_facts import DELETES, SETS

#: What they set is there when the object is, and not before.
CONSTRUCTORS = frozenset({"__init__", "__new__", "__post_init__"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef


class Writing(NamedTuple):
    """An attribute that a statement is about to write.

    Args:
        place: which line of the function it is, among those that write attributes.
        how: SETS or DELETES.
        owner: the parameter of the function whose attribute it is; "" where it is another object.
        name: of the attribute.
    """

    place: int
    how: str
    owner: str
    name: str


def told_of_changes(
    function: _Function, parameters: frozenset[str], told: Callable[[Writing, ast.stmt], ast.stmt]
) -> int:
    """Puts a statement in front of each that writes an attribute.

    Args:
        function: it is changed.
        parameters: names that are bound wherever the function is.
        told: makes the statement to put in front of one.

    Returns:
        How many lines of the function write attributes.
    """
    if function.name in CONSTRUCTORS:
        return 0
    written = list(_written(function.body))
    places = {line: place for place, line in enumerate(sorted({t.lineno for *_, t in written}))}
    for body, statement, how, target in written:
        base = target.value
        owner = base.id if isinstance(base, ast.Name) and base.id in parameters else ""
        writing = Writing(places[target.lineno], how, owner, target.attr)
        at = next(number for number, each in enumerate(body) if each is statement)
        body.insert(at, told(writing, statement))
    return len(places)


def _written(
    body: list[ast.stmt],
) -> Iterator[tuple[list[ast.stmt], ast.stmt, str, ast.Attribute]]:
    """The attributes that statements write, with the list that each of these stands in."""
    for statement in body:
        if isinstance(statement, _Function | ast.ClassDef):
            continue
        how = DELETES if isinstance(statement, ast.Delete) else SETS
        for target in _targets(statement):
            yield from ((body, statement, how, each) for each in _attributes(target))
        for inner in bodies(statement):
            yield from _written(inner)


def bodies(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    """The lists of statements that a statement holds."""
    for name in ("body", "orelse", "finalbody"):
        yield from filter(None, [getattr(statement, name, None)])
    for name in ("handlers", "cases"):
        yield from (each.body for each in getattr(statement, name, ()))


def _targets(statement: ast.stmt) -> Iterator[ast.expr]:
    match statement:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            yield from targets
        case ast.AugAssign(target=target) | ast.For(target=target) | ast.AsyncFor(target=target):
            yield target
        case ast.AnnAssign(target=target, value=ast.expr()):
            yield target
        case ast.With(items=items) | ast.AsyncWith(items=items):
            yield from (each.optional_vars for each in items if each.optional_vars is not None)


def _attributes(target: ast.expr) -> Iterator[ast.Attribute]:
    match target:
        case ast.Attribute():
            yield target
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            for each in elements:
                yield from _attributes(each)
        case ast.Starred(value=value):
            yield from _attributes(value)
