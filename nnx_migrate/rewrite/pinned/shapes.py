"""The pins of a file by their shape, and what takes each of them out.

`nnx.compat.X` with both mode setters around the function is written by this program and hardly
ever by hand: such a pin is ours. `nnx.compat.X` alone, `nnx.set_graph_mode(True)(f)(...)`, and both
options of a transform may be ours or somebody's own choice, which nobody can tell.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
from collections.abc import Iterator

from nnx_migrate.analysis.flax.model import mode_dependent_functions
from nnx_migrate.analysis.flax.transforms import CHOSEN_METHODS, SETTERS
from nnx_migrate.analysis.ir.lowering.literal_lookups import looked_up
from nnx_migrate.analysis.ir.lowering.syntax_names import is_called
from nnx_migrate.rewrite.pinned.options import without_options
from nnx_migrate.rewrite.pinned.short_lines import joined
from nnx_migrate.rewrite.pinned.syntax import Syntax
from nnx_migrate.rewrite.text.edits import Edit

_COMPAT = "compat."


class Written(enum.StrEnum):
    """How a place is kept in graph mode."""

    COVERED = "compat and both setters"
    COMPAT = "compat"
    CALLED = "a setter around a call"
    OPTIONS = "graph="
    SETTER = "a setter"


@dataclasses.dataclass(frozen=True, slots=True)
class OldPin:
    """A pin that stands in a file.

    Args:
        transform: what is pinned, as it is called behind `nnx.`.
        written: in which shape.
        start: where the name of the transform begins, as an offset of characters.
        edits: what removes it.
        runs: names of the functions that it transforms, as far as they have one.
        within: names of the functions that it stands in; "" for a lambda.
    """

    transform: str
    written: Written
    start: int
    edits: tuple[Edit, ...]
    runs: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()

    @property
    def ours(self) -> bool:
        """Whether it is certain that this program has written it."""
        return self.written is Written.COVERED


def old_pins(syntax: Syntax) -> list[OldPin]:
    """Every pin of a file that can be taken out, in source order; none overlaps another."""
    found: list[OldPin] = []
    taken: set[Edit] = set()
    for pin in sorted(_candidates(syntax), key=lambda pin: pin.start):
        if taken.isdisjoint(pin.edits):
            found.append(pin)
            taken |= set(pin.edits)
    return found


def _candidates(syntax: Syntax) -> Iterator[OldPin]:
    for node in syntax.nodes:
        if isinstance(node, ast.Attribute):
            name = syntax.nnx_name(node)
            spelled = isinstance(node.value, ast.Attribute) and node.value.attr == "compat"
            if spelled and name.startswith(_COMPAT) and name.count(".") == 1:
                pin = _by_compat(syntax, node, name.removeprefix(_COMPAT))
                if pin is not None:
                    yield pin
        elif isinstance(node, ast.Call):
            pin = _called(syntax, node) or _by_options(syntax, node)
            if pin is not None:
                yield pin


def _by_compat(syntax: Syntax, reference: ast.Attribute, transform: str) -> OldPin | None:
    function = mode_dependent_functions().get(f"flax.nnx.{transform}")
    if function is None or not function.in_compat:
        return None
    head = reference.value
    assert isinstance(head, ast.Attribute)
    start = syntax.text.span(reference)[0]
    name = syntax.without(syntax.text.span(head.value)[1], syntax.text.span(head)[1])
    covers = list(_covers(syntax, reference))
    if name is None or None in covers:
        return None
    edits = [name, *(edit for edit in covers if edit is not None)]
    written = Written.COVERED if covers else Written.COMPAT
    call = syntax.parents[reference]
    if isinstance(call, ast.Call) and call.func is reference and covers:
        edits = joined(syntax, call, edits)
    runs, within = frozenset(_runs(syntax, reference)), frozenset(_within(syntax, reference))
    return OldPin(transform, written, start, tuple(sorted(edits)), runs, within)


def _runs(syntax: Syntax, reference: ast.expr) -> Iterator[str]:
    outer: ast.AST = reference
    while isinstance(parent := syntax.parents[outer], ast.Call):
        outer = parent
        for given in (*parent.args, *(keyword.value for keyword in parent.keywords)):
            for node in ast.walk(given):
                if isinstance(node, ast.Name):
                    yield node.id
                elif isinstance(node, ast.Attribute):
                    yield node.attr
                elif isinstance(node, ast.Lambda):
                    yield ""
    if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
        yield parent.name


def _within(syntax: Syntax, node: ast.AST) -> Iterator[str]:
    while not isinstance(node, ast.Module):
        parent = syntax.parents[node]
        if isinstance(parent, ast.FunctionDef | ast.AsyncFunctionDef):
            if node not in parent.decorator_list:
                yield parent.name
        elif isinstance(parent, ast.Lambda):
            yield ""
        node = parent


def _covers(syntax: Syntax, reference: ast.expr) -> Iterator[Edit | None]:
    """What takes out the setters that a pin put around its functions."""
    outer: ast.AST = reference
    while isinstance(parent := syntax.parents[outer], ast.Call) and (
        parent.func is outer or _is_partial_of(parent, outer)
    ):
        outer = parent
        for given in (*parent.args, *(keyword.value for keyword in parent.keywords)):
            yield from _around(syntax, given, parent)
    if isinstance(parent, ast.FunctionDef) and outer in parent.decorator_list:
        place = parent.decorator_list.index(outer)
        yield from _decorators(syntax, parent, place + 1)
        yield from _passes(syntax, parent.name)
    elif isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        yield from _passes(syntax, parent.targets[0].id)


def _is_partial_of(call: ast.Call, node: ast.AST) -> bool:
    return what_has_options(call) is node and call.func is not node


def _around(syntax: Syntax, given: ast.expr, call: ast.Call) -> Iterator[Edit | None]:
    if isinstance(given, ast.List | ast.Tuple):
        for each in given.elts:
            yield from _stripped(syntax, each, each)
    elif isinstance(given, ast.ListComp):
        inner = syntax.covered(given.elt)
        (first, *rest) = given.generators
        plain = not rest and not first.ifs and isinstance(first.target, ast.Name)
        if plain and inner is not None and ast.unparse(inner) == ast.unparse(first.target):
            yield from _kept(syntax, given, first.iter)
    elif isinstance(given, ast.Name):
        yield from _of_definition(syntax, given, call)
    else:
        yield from _stripped(syntax, given, given)


def _stripped(syntax: Syntax, node: ast.expr, whole: ast.expr) -> Iterator[Edit | None]:
    inner = syntax.covered(node)
    if inner is not None:
        yield from _kept(syntax, whole, inner)


def _kept(syntax: Syntax, whole: ast.expr, inner: ast.expr) -> Iterator[Edit | None]:
    """Nothing is left of an expression but one in it."""
    start, end = syntax.text.span(whole)
    first, last = syntax.text.span(inner)
    text = syntax.text.text
    opened = text[start:first].count("(") - text[start:first].count(")")
    closed = text[last:end].count(")") - text[last:end].count("(")
    if opened != closed:
        yield None
    yield syntax.without(start, first)
    yield syntax.without(last, end)


def _of_definition(syntax: Syntax, name: ast.Name, call: ast.Call) -> Iterator[Edit | None]:
    """The setters above the one definition in the scope of a call that it is given by name."""
    scope = _scope(syntax, call)
    named = [
        node
        for node in syntax.nodes
        if isinstance(node, ast.FunctionDef)
        and node.name == name.id
        and _scope(syntax, node) is scope
    ]
    for definition in named if len(named) == 1 else ():
        if len(definition.decorator_list) == len(SETTERS):
            yield from _decorators(syntax, definition, 0)


def _decorators(syntax: Syntax, definition: ast.FunctionDef, place: int) -> Iterator[Edit | None]:
    found = definition.decorator_list[place : place + len(SETTERS)]
    if len(found) == len(SETTERS) and all(map(syntax.setter, found, SETTERS)):
        yield syntax.without_lines(found[0], found[-1])


def _passes(syntax: Syntax, name: str) -> Iterator[Edit | None]:
    """Those around both passes of `f.defvjp(fwd, bwd)`."""
    for node in syntax.nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            base = node.func.value
            if node.func.attr == "defvjp" and isinstance(base, ast.Name) and base.id == name:
                for given in (*node.args, *(keyword.value for keyword in node.keywords)):
                    yield from _around(syntax, given, node)


def _scope(syntax: Syntax, node: ast.AST) -> ast.AST:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.Module)
    node = syntax.parents[node]
    while not isinstance(node, kinds):
        node = syntax.parents[node]
    return node


def _called(syntax: Syntax, setter: ast.Call) -> OldPin | None:
    """`nnx.set_graph_mode(True)(model.eval)()`, also where a test chooses what is called."""
    if not syntax.setter(setter.func, SETTERS[0]) or len(setter.args) != 1 or setter.keywords:
        return None
    inner = setter.args[0]
    name = _method(inner)
    if not name or not is_called(setter, syntax.parents):
        return None
    edits = list(_kept(syntax, setter, inner))
    if None in edits:
        return None
    taken = tuple(edit for edit in edits if edit is not None)
    start = syntax.text.span(inner)[0]
    return OldPin(syntax.nnx_name(inner) or f"Module.{name}", Written.CALLED, start, taken)


def _method(function: ast.expr) -> str:
    """The name of the method that an expression gives: `model.eval`, `getattr(model, "eval")`."""
    match function:
        case ast.Attribute(attr=name):
            return name
        case ast.Call(func=ast.Name(id="getattr")):
            return next((text for text in looked_up(function) if text in CHOSEN_METHODS), "")
        case _:
            return ""


def what_has_options(call: ast.Call) -> ast.expr:
    """What the keywords of a call are for: what it calls, or what it is a partial of."""
    if ast.unparse(call.func) in {"functools.partial", "partial"} and call.args:
        return call.args[0]
    return call.func


def _by_options(syntax: Syntax, call: ast.Call) -> OldPin | None:
    """`nnx.Optimizer(..., graph=True)`, `nnx.jit(f, graph=True, graph_updates=True)`."""
    named = what_has_options(call)
    name = syntax.nnx_name(named)
    function = mode_dependent_functions().get(f"flax.nnx.{name}") if name else None
    if function is None or not function.has_graph_parameter:
        return None
    edits = without_options(syntax, call, transform=function.has_graph_updates_parameter)
    if not edits:
        return None
    return OldPin(name, Written.OPTIONS, syntax.text.span(named)[0], edits)
