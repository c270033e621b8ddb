"""Makes each function of a file say what it is given, while the file is compiled.

The first statement of a function becomes a call that gets its parameters, what it returns and what
is called as `model.sow(...)` goes through others, and one stands in front of what writes an
attribute.
The function stays what it is to whoever wraps, inspects or traces it, and lines of tracebacks stay
as they are.
"""

from __future__ import annotations

import ast
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from nnx_migrate.check.recording.compiling import plain_settings, put_first
from nnx_migrate.observe.attribute_writes import Writing, told_of_changes
from nnx_migrate.observe.ends import (
    GIVES,
    GOES_ON,
    HANDS_OVER,
    LEFT,
    LOOK,
    WAITS,
    called,
    place_of,
    tell_ends,
)
from nnx_migrate.observe.functions import Definition, Watched, watched
from nnx_migrate.observe.kinds import of_cell
from nnx_migrate.observe.places import Span, told_of_places
from nnx_migrate.observe.probes import may_run, number_of, number_of_place
from nnx_migrate.sources.facts.observed_facts import SOWING, WRITING

# No two underscores in front: they would be mangled in a class.
_SEEN, _INSIDE = "_nnx_migrate_seen", "_nnx_migrate_inside"
_SOWS, _CHANGES = "_nnx_migrate_sows", "_nnx_migrate_changes"
_KEYWORDS, _DEFAULT = "_nnx_migrate_keywords", "_nnx_migrate_default"
_RUNS = "_nnx_migrate_runs"
_IMPORTED = {
    "nnx_migrate.observe.kinds": {"Keywords": _KEYWORDS, "or_default": _DEFAULT},
    "nnx_migrate.observe.probes": {
        "seen": _SEEN,
        "seen_inside": _INSIDE,
        "left": LEFT,
        "sows": _SOWS,
        "changes": _CHANGES,
        "runs": _RUNS,
        "gives": GIVES,
        "goes_on": GOES_ON,
        "hands_over": HANDS_OVER,
        "waits": WAITS,
    },
}
_LOAD = ast.Load()
_DELETES = re.compile(rb"\bdel\b")
_FIRST = {"lineno": 1, "col_offset": 0, "end_lineno": 1, "end_col_offset": 0}


class _May(NamedTuple):
    """What a file may do by its text, so that most files need not be gone through for it.

    Args:
        sow: calls that are told of one by one: `sow`, `setattr`, and their like.
        delete: names.
    """

    sow: bool
    delete: bool


def instrumented(tree: ast.Module, path: str) -> ast.Module:
    """Puts a call first in each function of a file.

    Args:
        tree: of the file; it is changed.
        path: its path.
    """
    name = plain_settings()["touched"][os.path.realpath(path)]
    source = Path(path).read_bytes()
    names = (*(f".{method}" for method in SOWING), *WRITING)
    may = _May(
        sow=any(each.encode() in source for each in names),
        delete=_DELETES.search(source) is not None,
    )
    transforms = frozenset(plain_settings().get("transforms", ()))
    functions = list(watched(tree))
    defined = (each.node for each in functions if not isinstance(each.node, ast.Lambda))
    for body in (tree.body, *(each.body for each in defined)):
        told_of_places(body, transforms, partial(_running, name))
    return _watched(tree, functions, name, may)


def instrumented_cell(tree: ast.Module, notebook: str, file: str) -> ast.Module:
    """Puts a call first in each function of a cell of a notebook.

    Args:
        tree: of the cell; it is changed.
        notebook: its name, from the root.
        file: what the cell is called where it is compiled.
    """
    classes = [each.name for each in tree.body if isinstance(each, ast.ClassDef)]
    of_cell(notebook, file, classes)
    return _watched(tree, list(watched(tree)), notebook, _May(sow=True, delete=True))


def _watched(tree: ast.Module, functions: list[Watched], name: str, may: _May) -> ast.Module:
    several = Counter(each.path for each in functions)
    for each in functions:
        if several[each.path] == 1 and not each.for_each:
            _watch(each, name, may)
    for module, names in _IMPORTED.items():
        aliases = [ast.alias(name, alias, **_FIRST) for name, alias in names.items()]
        put_first(tree.body, ast.ImportFrom(module, aliases, 0, **_FIRST))
    return tree


def _watch(function: Watched, file: str, may: _May) -> None:
    node = function.node
    own = "" if function.is_constructor else function.own
    parameters = [*filter(None, [own]), *function.parameters]
    more = [] if node.args.kwarg is None else [node.args.kwarg.arg]
    number = number_of(file, function.path, (*parameters, *more), own=bool(own))
    if isinstance(node, ast.Lambda):
        if function.end_can_be_seen:
            begins = _call(number, parameters, function)
            node.body = called(LEFT, [begins, node.body], place_of(node.body))
        return
    sows = sorted(_sows(node.body), key=_place) if may.sow else []
    for place, each in enumerate(sows):
        each.func = _noted(number, place, each.func)
    changes = told_of_changes(node, _bound(node, may), partial(_changing, number))
    may_run(number, sows=len(sows), changes=changes)
    begins = _call(number, parameters, function)
    at = place_of(node)
    if not function.end_can_be_seen:
        put_first(node.body, ast.Expr(begins, **at))
        return
    tell_ends(node)
    looks = ast.Assign([ast.Name(LOOK, ast.Store(), **at)], begins)
    put_first(node.body, ast.copy_location(looks, node))


def _bound(function: Definition, may: _May) -> frozenset[str]:
    """The parameters that nothing in a function deletes."""
    given = function.args
    names = {each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)}
    if not may.delete:
        return frozenset(names)
    gone = {
        each.id
        for each in ast.walk(function)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Del)
    }
    return frozenset(names - gone)


def _sows(nodes: Iterable[ast.AST]) -> Iterator[ast.Call]:
    """The calls of `sow`, `setattr` and their like that a function makes itself."""
    for node in nodes:
        if isinstance(node, Definition | ast.Lambda | ast.ClassDef):
            continue
        if isinstance(node, ast.Call) and (
            getattr(node.func, "attr", "") in SOWING or getattr(node.func, "id", "") in WRITING
        ):
            yield node
        yield from _sows(ast.iter_child_nodes(node))


def _place(node: ast.expr) -> tuple[int, int]:
    return node.lineno, node.col_offset


def _noted(number: int, place: int, method: ast.expr) -> ast.Call:
    at = place_of(method)
    return called(_SOWS, [_constant(number, at), _constant(place, at), method], at)


def _running(file: str, span: Span, node: ast.stmt | ast.expr) -> ast.expr:
    """What tells that something that applies a transform runs."""
    at = place_of(node)
    return called(_RUNS, [_constant(number_of_place(file, span), at)], at)


def _changing(number: int, writing: Writing, statement: ast.stmt) -> ast.stmt:
    """What stands in front of a statement that writes an attribute."""
    at = place_of(statement)
    owner = ast.Name(writing.owner, _LOAD, **at) if writing.owner else _constant(None, at)
    plain = (number, writing.place, writing.how, writing.name)
    told: list[ast.expr] = [owner, *(_constant(each, at) for each in plain)]
    return ast.Expr(called(_CHANGES, told, at), **at)


def _call(number: int, parameters: list[str], function: Watched) -> ast.Call:
    # To set them alone is much faster than to look through the file for what lacks them.
    node = function.node
    at = place_of(node)
    elements: list[ast.expr] = [ast.Name(each, _LOAD, **at) for each in parameters]
    for name, default in function.false_defaults.items():
        place = parameters.index(name)
        same = ast.copy_location(ast.Constant(default.value), elements[place])
        elements[place] = called(_DEFAULT, [elements[place], same], at)
    if node.args.kwarg is not None:
        elements.append(called(_KEYWORDS, [ast.Name(node.args.kwarg.arg, _LOAD, **at)], at))
    told = [_constant(number, at), ast.Tuple(elements, _LOAD, **at)]
    return called(_INSIDE if function.inside else _SEEN, told, at)


def _constant(value: str | int | None, at: dict[str, int]) -> ast.Constant:
    return ast.copy_location(ast.Constant(value), ast.Name("", _LOAD, **at))
