"""Calls of methods of lists and the like that the function has made itself, on every way there.

The same name may stand for something else above and below, or in another branch:

    parts = []
    if isinstance(given, Parts):
        parts = given.parts
    else:
        parts.append(given)  # of the new list
    parts = jnp.concatenate(parts)

What is in such a container is as new where nothing else is put into it:
`sizes.setdefault(axis, set()).add(size)`, and `for name, rows in table.items(): rows.sort()`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from nnx_migrate.analysis.ir.lowering.containers.contents import (
    container_of,
    elements_named,
    holding_others,
    is_new,
)
from nnx_migrate.analysis.ir.parse import children, walk
from nnx_migrate.sources.bound_names import bound_names

#: Names that hold a new container; None where no run arrives.
_Made = frozenset[str] | None
_LATER = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue)
#: Fields of statements that hold statements, and those that hold parts with a body.
_BLOCKS = ("body", "orelse", "finalbody")
_PARTS = ("handlers", "cases")


def calls_on_new_containers(body: Sequence[ast.stmt]) -> frozenset[ast.Call]:
    """The calls in a function's own statements, those of nested functions left out."""
    if not any(isinstance(s, ast.Assign | ast.AnnAssign) and is_new(s.value) for s in _all(body)):
        return frozenset()
    nodes = [node for statement in body for node in walk(statement)]
    holding = {*holding_others(nodes), *(name for _, name in elements_named(nodes))}
    way = _Walk(frozenset(_bound_elsewhere(nodes)), frozenset(holding))
    way.through(body, frozenset())
    return frozenset(way.found)


class _Walk:
    """Goes through statements in the order in which they run.

    Args:
        elsewhere: names that other functions bind too, or expressions: nothing is known of them.
        holding: names of containers that something else than new containers is put into.
    """

    def __init__(self, elsewhere: frozenset[str], holding: frozenset[str]) -> None:
        self.found: set[ast.Call] = set()
        self._elsewhere = elsewhere
        self._holding = holding

    def through(self, body: Sequence[ast.stmt], made: _Made) -> _Made:
        for statement in body:
            if made is None:
                return None
            made = self._past(statement, made)
        return made

    def _past(self, statement: ast.stmt, made: frozenset[str]) -> _Made:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                self._note(test, made)
                return _meet(self.through(body, made), self.through(orelse, made))
            case ast.For() | ast.AsyncFor() | ast.While():
                header = statement.test if isinstance(statement, ast.While) else statement.iter
                self._note(header, made)
                kept = made - _otherwise_bound([statement])
                self.through(statement.body, kept | self._elements(statement, kept))
                self.through(statement.orelse, kept)
                return kept
            case ast.Try() | ast.TryStar():
                return self._past_try(statement, made)
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                for item in items:
                    self._note(item.context_expr, made)
                entered = made - _otherwise_bound([statement])
                self.through(body, entered)
                return entered  # an exception in it may end here
            case ast.Match(subject=subject, cases=cases):
                self._note(subject, made)
                kept = made - _otherwise_bound([statement])
                for case in cases:
                    self.through(case.body, kept)
                return kept
            case _:
                self._note(statement, made)
                return None if isinstance(statement, _LEAVING) else self._bind(statement, made)

    def _elements(self, loop: ast.stmt, made: frozenset[str]) -> frozenset[str]:
        """What a loop calls the elements of a new container that holds nothing but new ones."""
        return frozenset(
            name
            for table, name in elements_named([loop])
            if table in made - self._holding and name not in self._elsewhere
        )

    def _past_try(self, statement: ast.Try | ast.TryStar, made: frozenset[str]) -> _Made:
        kept = made - _otherwise_bound([statement])
        self.through([*statement.body, *statement.orelse], kept)
        for handler in statement.handlers:
            self.through(handler.body, kept)
        self.through(statement.finalbody, kept)
        return kept

    def _bind(self, statement: ast.stmt, made: frozenset[str]) -> frozenset[str]:
        new = {
            target.id
            for target in _targets(statement)
            if isinstance(target, ast.Name) and target.id not in self._elsewhere
        }
        return (made - set(_bound(statement))) | new if made else frozenset(new)

    def _note(self, node: ast.AST, made: frozenset[str]) -> None:
        if not made:
            return
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name))) if name in made:
                self.found.add(node)
            case ast.Call(func=ast.Attribute(value=part)) if container_of(part) in (
                made - self._holding
            ):
                self.found.add(node)
        if not isinstance(node, (*_LATER, *_DEFINITIONS)):
            for child in children(node):
                self._note(child, made)


def _meet(one: _Made, other: _Made) -> _Made:
    if one is None or other is None:
        return other if one is None else one
    return one & other


def _targets(statement: ast.stmt) -> list[ast.expr]:
    """What an assignment binds to a new container."""
    match statement:
        case ast.Assign(targets=targets, value=value) if is_new(value):
            return targets
        case ast.AnnAssign(target=target, value=value) if is_new(value):
            return [target]
        case _:
            return []


def _bound(statement: ast.stmt) -> Iterator[str]:
    """Names that a statement binds or deletes, those of statements in it left out.

    `parts += more` leaves a container where it is.
    """
    if not isinstance(statement, ast.AugAssign):
        for node in _own_nodes(statement):
            yield from bound_names(node)


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of a statement without the statements in it, nor what a definition evaluates."""
    pending: list[ast.AST] = [statement]
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, _DEFINITIONS):
            pending += [each for each in children(node) if not isinstance(each, ast.stmt)]


def _otherwise_bound(body: Sequence[ast.stmt]) -> set[str]:
    """Names that code binds to something else than a new container, anywhere in it."""
    return {
        name for statement in _all(body) if not _targets(statement) for name in _bound(statement)
    }


def _bound_elsewhere(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.Global(names=names) | ast.Nonlocal(names=names):
                yield from names
            case ast.NamedExpr(target=ast.Name(id=name)):
                yield name


def _all(body: Sequence[ast.stmt]) -> list[ast.stmt]:
    """Statements and those in them, without the bodies of functions and classes."""
    found = list(body)
    for statement in found:  # grows while it is gone through
        if isinstance(statement, _DEFINITIONS):
            continue
        for block in _BLOCKS:
            found += getattr(statement, block, ())
        for parts in _PARTS:
            for part in getattr(statement, parts, ()):
                found += part.body
    return found
