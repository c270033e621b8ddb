"""Every call in the file at hand, by the function that it runs, and what is not known of them."""

from __future__ import annotations

import ast
import collections
import dataclasses
from collections.abc import Iterator, Mapping

from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
    STATE,
    Basic,
    FunctionValue,
    Instance,
    LibraryValue,
    Located,
    Scope,
    Value,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.domain.witnesses import in_order
from nnx_migrate.analysis.flax.transforms import WRAPPERS, of_nnx, spec
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lower_expressions import lower_expr
from nnx_migrate.rewrite.model.context import FileContext, remembered

#: What may be given an object that can be called, and does not call it.
_NOT_CALLING = of_nnx(lambda t: t.collects) | frozenset(
    [
        "clone",
        "eval",
        "graphdef",
        "pop",
        "split",
        "state",
        "train",
        "update",
        "variables",
    ]
)
_MAKING = frozenset(["Optimizer"])
_LOOKING = frozenset(f"builtins.{name}" for name in ("id", "isinstance", "len", "print", "repr"))


@dataclasses.dataclass(frozen=True, slots=True)
class FileCalls:
    """The calls of a file.

    Args:
        of: by the function that they run.
        unseen: lines of calls of what is not known, by the last name of that; "" for what may be
            an object that is called, or a function without a name.
        handed_on: lines where a function, or an object whose call it is, goes somewhere else.
    """

    of: Mapping[Scope, list[tuple[ast.Call, FunctionValue]]]
    unseen: Mapping[str, list[int]]
    handed_on: Mapping[Scope, list[int]]


@remembered
def calls_in(context: FileContext) -> FileCalls:
    found: dict[Scope, list[tuple[ast.Call, FunctionValue]]] = collections.defaultdict(list)
    unseen: dict[str, list[int]] = collections.defaultdict(list)
    handed_on: dict[Scope, list[int]] = collections.defaultdict(list)
    attributes = context.tree.of_kind(ast.Attribute)
    stored = {node.attr for node in attributes if isinstance(node.ctx, ast.Store)}
    for node in context.tree.nodes:
        if isinstance(node, ast.Call):
            values = context.values(node.func)
            for value in run_by(context, values):
                found[value.scope].append((node, value))
            func = lower_expr(node.func)
            if is_unknown(values) and not _is_transformed(context, context.scope(node), func):
                unseen[_last_name(node.func)].append(node.lineno)
                if not isinstance(node.func, ast.Attribute) or node.func.attr in stored:
                    unseen[""].append(node.lineno)
            for value in _kept(context, values, node):
                handed_on[value.scope].append(node.lineno)
        elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Load):
            for value in _passed_on(context, node):
                handed_on[value.scope].append(node.lineno)
    return FileCalls(found, unseen, handed_on)


def _is_transformed(context: FileContext, scope: Scope, func: ir.Expr) -> bool:
    """Whether what is called is what a transform gave.

    What it runs is what the transform was given, and that is looked at there.
    """
    if isinstance(func, ir.Name):
        bound = context.project.bindings(scope, func.id)
        return bool(bound) and all(
            isinstance(b, Located)
            and isinstance(b.expr, ir.Call)
            and _is_transformed(context, b.scope, b.expr)
            for b in bound
        )
    if not isinstance(func, ir.Call):
        return False
    values = context.evaluator.values(scope, func.func)
    transforms = all(
        isinstance(value, LibraryValue) and value.dotted.rpartition(".")[2] in WRAPPERS
        for value in values
    )
    return (bool(values) and transforms) or _is_transformed(context, scope, func.func)


def run_by(context: FileContext, values: Values) -> Iterator[FunctionValue]:
    """The functions of the project that run when one of these is called."""
    for value in values:
        if isinstance(value, FunctionValue):
            yield value
        elif isinstance(value, Instance):
            yield from _call_methods(context, value)


def _call_methods(context: FileContext, instance: Instance) -> Iterator[FunctionValue]:
    hierarchy = context.evaluator.hierarchy
    for class_name in context.evaluator.hierarchy.classes_of(instance):
        method = hierarchy.method(class_name, "__call__")
        if isinstance(method, Scope):
            yield FunctionValue(method, method.function, bound=True)


def _kept(context: FileContext, callee: Values, call: ast.Call) -> Iterator[FunctionValue]:
    """What may be called by what a call gives it to, where that is none of the project's own."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if callee and all(_does_not_call(context, value) for value in callee):
        return
    for argument in given:
        argument = argument.value if isinstance(argument, ast.Starred) else argument
        if isinstance(argument, ast.Name | ast.Attribute | ast.Subscript):
            for value in in_order(context.values(argument)):
                if isinstance(value, Instance):
                    yield from _call_methods(context, value)


def _does_not_call(context: FileContext, value: Value) -> bool:
    if isinstance(value, LibraryValue):
        short = value.dotted.removeprefix("flax.nnx.")
        held = value.dotted.startswith("<container>.")
        return held or short in _NOT_CALLING or value.dotted in _LOOKING
    if isinstance(value, Instance):
        return context.evaluator.hierarchy.kind(value.class_name) in {"module", "optimizer"}
    name = getattr(value, "class_name", "")
    if name.startswith("flax.nnx."):
        return name.removeprefix("flax.nnx.") in _MAKING
    return not isinstance(value, Basic) or value in ARRAY | PLAIN | STATE


def _passed_on(context: FileContext, node: ast.Attribute | ast.Name) -> Iterator[FunctionValue]:
    """The functions that an expression gives to something other than a call of them."""
    parent = context.tree.parents[node]
    if isinstance(parent, ast.Attribute):
        return
    if isinstance(parent, ast.Call):
        collects = spec(context.tree.nnx_name(parent.func)).collects
        if parent.func is node or (collects and parent.args[:1] == [node]):
            return
    for value in in_order(context.values(node)):
        if isinstance(value, FunctionValue):
            yield value


def _last_name(func: ast.expr) -> str:
    return func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
