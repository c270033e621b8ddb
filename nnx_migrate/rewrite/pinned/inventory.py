"""All of a file that keeps code in graph mode, whoever has written it, and its transforms."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.flax.transforms import OBJECT_FUNCTIONS, SETTERS, SITE_NAMES
from nnx_migrate.rewrite.pinned.options import GRAPH, UPDATES
from nnx_migrate.rewrite.pinned.shapes import OldPin, Written, old_pins, what_has_options
from nnx_migrate.rewrite.pinned.syntax import Syntax, is_constant

_SETTINGS = frozenset(
    f"{prefix}nnx_{name}" for prefix in ("", "flax_") for name in ("graph_mode", "graph_updates")
)


@dataclasses.dataclass(frozen=True, slots=True)
class GraphPlace:
    """A place that is kept in graph mode.

    Args:
        start: where it begins, as an offset of characters.
        name: what is kept, as it is called behind `nnx.`; empty for a setting.
        written: in which way.
        sharing_only: objects are shared in it, and nothing of their structure is written back.
    """

    start: int
    name: str
    written: Written
    sharing_only: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Inventory:
    """What a file holds.

    Args:
        places: all that is kept in graph mode, in source order.
        transforms: how many transforms are applied in it.
        pinned: how many of them are in graph mode.
    """

    places: tuple[GraphPlace, ...]
    transforms: int
    pinned: int


def inventory(syntax: Syntax) -> Inventory:
    """List what keeps code of a file in graph mode, and count its transforms."""
    pins = old_pins(syntax)
    places = {pin.start: _of_pin(syntax, pin) for pin in pins}
    edits = [(edit.start, edit.end) for pin in pins for edit in pin.edits]
    for found in _others(syntax):
        if not any(start <= found.start < end for start, end in edits):
            places.setdefault(found.start, found)
    transforms = [node for node in syntax.nodes if _is_transform(syntax, node)]
    covered = _covered_functions(syntax)
    pinned = [t for t in transforms if _is_pinned(syntax, t, covered)]
    ordered = tuple(places[start] for start in sorted(places))
    return Inventory(ordered, len(transforms), len(pinned))


def _of_pin(syntax: Syntax, pin: OldPin) -> GraphPlace:
    sharing = pin.written is Written.OPTIONS and any(
        "False" in syntax.text.text[edit.start : edit.end] for edit in pin.edits
    )
    return GraphPlace(pin.start, pin.transform, pin.written, sharing)


def _others(syntax: Syntax) -> Iterator[GraphPlace]:
    """What no pin is written like."""
    told: set[ast.AST] = set()
    for node in syntax.nodes:
        if isinstance(node, ast.Attribute | ast.Name):
            name = syntax.nnx_name(node)
            if name.startswith("compat."):
                kept = name.removeprefix("compat.")
                yield GraphPlace(syntax.text.span(node)[0], kept, Written.COMPAT)
        elif isinstance(node, ast.Call):
            name = syntax.nnx_name(node.func)
            holder = _statement(syntax, node)
            if name in SETTERS and not is_constant(next(iter(node.args), None), False):
                if holder not in told:
                    told.add(holder)
                    yield GraphPlace(syntax.text.span(node)[0], name, Written.SETTER)
            elif _says_graph(syntax, node):
                named = what_has_options(node)
                method = named.attr if isinstance(named, ast.Attribute) else ""
                said = {keyword.arg: keyword.value for keyword in node.keywords}
                sharing = is_constant(said.get(UPDATES), False)
                start = syntax.text.span(named)[0]
                name = syntax.nnx_name(named) or method
                yield GraphPlace(start, name, Written.OPTIONS, sharing)
        elif isinstance(node, ast.Constant) and str(node.value).lower() in _SETTINGS:
            yield GraphPlace(syntax.text.span(node)[0], "", Written.SETTER)


def _says_graph(syntax: Syntax, call: ast.Call) -> bool:
    """Whether a call asks for graph mode by an option of nnx."""
    said = {keyword.arg: keyword.value for keyword in call.keywords}
    if GRAPH not in said and UPDATES not in said:
        return False
    if is_constant(said.get(GRAPH), False):
        return False
    named = bool(syntax.nnx_name(what_has_options(call)))
    return named or (is_constant(said.get(GRAPH), True) and bool(syntax.aliases))


def _statement(syntax: Syntax, node: ast.AST) -> ast.AST:
    while not isinstance(node, ast.stmt):
        node = syntax.parents[node]
    return node


def _is_transform(syntax: Syntax, node: ast.AST) -> bool:
    if not isinstance(node, ast.Attribute | ast.Name) or isinstance(node.ctx, ast.Store):
        return False
    name = syntax.nnx_name(node).removeprefix("compat.")
    return name in SITE_NAMES and name not in OBJECT_FUNCTIONS


def _covered_functions(syntax: Syntax) -> frozenset[ast.AST]:
    """Functions and blocks that run with a setter around them."""
    found: set[ast.AST] = set()
    for node in syntax.nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            heads: list[ast.expr] = node.decorator_list
        elif isinstance(node, ast.With | ast.AsyncWith):
            heads = [item.context_expr for item in node.items]
        elif isinstance(node, ast.Call):
            heads = [node.func]
        else:
            continue
        if any(syntax.setter(head, SETTERS[0]) for head in heads):
            found.add(node)
    return frozenset(found)


def _is_pinned(syntax: Syntax, reference: ast.AST, covered: frozenset[ast.AST]) -> bool:
    if syntax.nnx_name(reference).startswith("compat."):
        return True
    node, parent = reference, syntax.parents.get(reference)
    first = True
    while parent is not None:
        if isinstance(parent, ast.Call) and first:
            given = parent.func is node or parent.args[:1] == [node]
            if given and _says_graph(syntax, parent):
                return True
            first = parent.func is node
        if parent in covered and node not in getattr(parent, "decorator_list", ()):
            return True
        node, parent = parent, syntax.parents.get(parent)
    return False
