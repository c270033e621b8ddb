"""A carry that becomes larger, and how the functions of a loop read it.

The carry is a tuple that is written out wherever it is used ("flat": it gets more elements), or it
is kept whole and becomes the first element of a new tuple.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from nnx_migrate.analysis.sites.tree import AnyFunction
from nnx_migrate.rewrite.model.causes import LoopCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.model.functions import free_names
from nnx_migrate.rewrite.style.layout import docstring_of
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit
from nnx_migrate.sources.bound_names import bound_names

FunctionDefinition = ast.FunctionDef | ast.Lambda


@dataclasses.dataclass(frozen=True, slots=True)
class Carry:
    """What a loop carries.

    Args:
        size: how many elements it has so far; None for a carry that is kept whole.
        added: the objects that it gets.
    """

    size: int | None
    added: tuple[Capture, ...]

    @property
    def names(self) -> list[str]:
        return [capture.name for capture in self.added]

    @property
    def start(self) -> int:
        """The place of the first object that it gets."""
        return 1 if self.size is None else self.size


@dataclasses.dataclass(frozen=True, slots=True)
class LoopFunction:
    """A function that a loop calls with its carry.

    Args:
        definition: a definition or a lambda that nothing but the loop uses.
        parameter: its parameter for the carry.
        loads: where it reads that parameter.
        captured: where it reads what becomes part of the carry.
        rebinds: it binds the name of that parameter to something else.
    """

    definition: FunctionDefinition
    parameter: ast.arg
    loads: tuple[ast.Name, ...]
    captured: tuple[ast.Name, ...]
    rebinds: bool = False


def loop_function(
    context: FileContext,
    definition: AnyFunction,
    leading: int,
    names: Sequence[str],
    count: int = 0,
) -> LoopFunction:
    """Look at a function of a loop.

    Args:
        leading: how many parameters stand before the carry.
        names: what becomes part of the carry, other names of it included.
        count: how many parameters it has; 0 when the carry is the last.

    Raises:
        CannotEmit: the function is not of a form that can be rewritten.
    """
    args = definition.args
    parameters = [*args.posonlyargs, *args.args]
    required = len(parameters) - len(args.defaults)  # a loop leaves the others to their defaults
    if required != (count or leading + 1) or args.vararg or args.kwonlyargs or args.kwarg:
        raise CannotEmit(LoopCause.OTHER_PARAMETERS)
    if not isinstance(definition, FunctionDefinition):
        raise CannotEmit(LoopCause.NOT_PLAIN)
    parameter = parameters[leading]
    for node in _inner(definition):
        if isinstance(node, ast.Nonlocal | ast.Global) and {*names, parameter.arg} & {*node.names}:
            raise CannotEmit(LoopCause.BINDS_NAMES_AROUND)
        if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.ClassDef):
            raise CannotEmit(LoopCause.NOT_PLAIN)
    loads = [
        node
        for node in _inner(definition)
        if isinstance(node, ast.Name) and node.id == parameter.arg
    ]
    captured = [node for node in free_names(context, definition) if node.id in names]
    rebinds = not all(is_load(n) and _means(context, n, definition) for n in loads)
    for each in parameters:
        if each.arg in names:
            raise CannotEmit(LoopCause.IS_PARAMETER.about(name=each.arg))
    return LoopFunction(definition, parameter, tuple(loads), tuple(captured), rebinds)


def _inner(definition: FunctionDefinition) -> Iterator[ast.AST]:
    body = definition.body if isinstance(definition.body, list) else [definition.body]
    for part in body:
        yield from ast.walk(part)


def check_inner_names(definition: FunctionDefinition, names: set[str]) -> None:
    """See that no function or comprehension inside binds one of these names for itself.

    Raises:
        CannotEmit: one does.
    """
    for node in _inner(definition):
        for bound in [node.arg] if isinstance(node, ast.arg) else bound_names(node):
            if bound in names:
                raise CannotEmit(LoopCause.BOUND_ANEW.about(name=bound))


def _means(context: FileContext, name: ast.Name, definition: FunctionDefinition) -> bool:
    here = context.tree.scope_of(definition)
    bindings = context.project.bindings(context.tree.scope(name), name.id)
    return all(binding.scope == here for binding in bindings)


def is_flat(context: FileContext, function: LoopFunction, size: int) -> bool:
    """Whether a function only unpacks its carry in its first line, and reads elements of it."""
    return not function.rebinds and all(
        _index(context, load, size) is not None or _unpacks(context, function, load, size)
        for load in function.loads
    )


def _index(context: FileContext, load: ast.Name, size: int) -> int | None:
    parent = context.tree.parents[load]
    if isinstance(parent, ast.Subscript) and parent.value is load:
        return constant_index(parent, size)
    return None


def constant_index(node: ast.Subscript, size: int) -> int | None:
    """The place that a subscript of a tuple with so many elements reads."""
    if not isinstance(node.ctx, ast.Load):
        return None
    index = node.slice
    negative = isinstance(index, ast.UnaryOp) and isinstance(index.op, ast.USub)
    number = index.operand if isinstance(index, ast.UnaryOp) and negative else index
    if not isinstance(number, ast.Constant) or type(number.value) is not int:
        return None
    place = size - number.value if negative else number.value
    return place if 0 <= place < size else None


def _unpacks(context: FileContext, function: LoopFunction, load: ast.Name, size: int) -> bool:
    return load is _unpacked_load(context, function, size)


def first_statement(function: LoopFunction) -> ast.stmt | None:
    definition = function.definition
    if isinstance(definition, ast.Lambda):
        return None
    body = definition.body
    return body[0] if docstring_of(definition) is None else next(iter(body[1:]), None)


def unpacking_target(function: LoopFunction, size: int) -> ast.Tuple | None:
    """The tuple that the first statement unpacks the carry to."""
    match first_statement(function):
        case ast.Assign(targets=[ast.Tuple() as target], value=ast.Name(id=name)):
            starred = any(isinstance(element, ast.Starred) for element in target.elts)
            if name == function.parameter.arg and len(target.elts) == size and not starred:
                return target
    return None


def _unpacked_load(context: FileContext, function: LoopFunction, size: int) -> ast.AST | None:
    if unpacking_target(function, size) is None:
        return None
    first = first_statement(function)
    assert isinstance(first, ast.Assign)
    return first.value


def index_edits(context: FileContext, function: LoopFunction, size: int) -> list[Edit]:
    edits = []
    for load in function.loads:
        parent = context.tree.parents[load]
        if isinstance(parent, ast.Subscript):
            edits += subscript_edits(context, parent, size)
    return edits


def subscript_edits(context: FileContext, node: ast.Subscript, size: int) -> list[Edit]:
    """Count from the front what was counted from the end."""
    index = constant_index(node, size)
    if index is None or not isinstance(node.slice, ast.UnaryOp):
        return []
    return [Edit(*context.text.span(node.slice), str(index))]


def whole_name(context: FileContext, function: LoopFunction) -> str:
    taken = context.taken_names(function.definition)
    return fresh(["carry"], taken, "loop")[0]


def is_load(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Load)
