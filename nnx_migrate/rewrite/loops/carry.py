"""What the functions of a loop capture becomes part of the carry, everywhere at once.

The initial value, the parameters, what the body returns and the use of the result change together.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.loops.bodies import function_edits
from nnx_migrate.rewrite.loops.carry_layout import (
    Carry,
    LoopFunction,
    constant_index,
    is_flat,
    loop_function,
    subscript_edits,
)
from nnx_migrate.rewrite.loops.lambdas import defined_body
from nnx_migrate.rewrite.model.causes import LoopCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, Capture
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.ownership import is_given
from nnx_migrate.rewrite.style.tuple_display import appended
from nnx_migrate.rewrite.text.edits import Edit


def carry_edits(context: FileContext, site: Site, captures: Sequence[Capture]) -> list[Edit]:
    """Edits that make a loop carry what its functions capture.

    Raises:
        CannotEmit: a part of the loop is not written in a way that can be changed.
    """
    if not site.complete or len(site.operands) != 1 or len(site.branches) != 1:
        raise CannotEmit(LoopCause.HIDDEN_ARGUMENTS)
    names = [name for capture in captures for name, _ in capture.ways()]
    assert site.spec.operands is not None
    leading = site.spec.operands.leading
    body = _owned(context, site, site.branches[0], leading, names)
    conditions = [f for f in site.functions if f not in site.branches]
    checks = [_condition(context, site, each, names) for each in conditions]
    initial = site.operands[0]
    size = _flat_size(context, initial, [body, *(c for c in checks if c is not None)])
    carry = Carry(size, tuple(captures))
    edits = defined_body(context, site, body, carry)
    edits = edits or function_edits(context, body, carry, "carry")
    for expression, check in zip(conditions, checks, strict=True):
        edits += _condition_edits(context, site, expression, check, carry)
    edits += initial_edits(context, initial, carry)
    return edits + result_edits(context, site.node, carry)


def _owned(
    context: FileContext, site: Site, function: ast.expr, leading: int, names: Sequence[str]
) -> LoopFunction:
    definition = definition_of(context, function)
    if definition is None:
        raise CannotEmit(LoopCause.NOT_IN_FILE)
    if not is_given(context, site, definition):
        raise CannotEmit(LoopCause.USED_ELSEWHERE)
    return loop_function(context, definition, leading, names)


def _condition(
    context: FileContext, site: Site, function: ast.expr, names: Sequence[str]
) -> LoopFunction | None:
    """The condition, if it can be edited; another may be called with the carry as it was."""
    definition = definition_of(context, function)
    if definition is None:
        return None
    if is_given(context, site, definition):
        return loop_function(context, definition, 0, names)
    if any(isinstance(node, ast.Name) and node.id in names for node in ast.walk(definition)):
        raise CannotEmit(LoopCause.CONDITION_USED_ELSEWHERE)
    return None


def _flat_size(
    context: FileContext, initial: ast.expr, functions: Sequence[LoopFunction]
) -> int | None:
    """How many elements the carry has, when all of it is written out as a tuple."""
    if not isinstance(initial, ast.Tuple) or not initial.elts:
        return None
    if any(isinstance(element, ast.Starred) for element in initial.elts):
        return None
    size = len(initial.elts)
    return size if all(is_flat(context, f, size) for f in functions) else None


def _condition_edits(
    context: FileContext,
    site: Site,
    expression: ast.expr,
    check: LoopFunction | None,
    carry: Carry,
) -> list[Edit]:
    if check is not None:
        return function_edits(context, check, carry, "no carry")
    if not isinstance(expression, ast.Name | ast.Attribute):
        raise CannotEmit(LoopCause.CONDITION_NOT_KNOWN)
    start, end = context.text.span(expression)
    rest = "[0]" if carry.size is None else f"[:{carry.size}]"
    return [Edit(start, start, "lambda carry: "), Edit(end, end, f"(carry{rest})")]


def initial_edits(context: FileContext, initial: ast.expr, carry: Carry) -> list[Edit]:
    if carry.size is not None:
        assert isinstance(initial, ast.Tuple)
        return [appended(context, initial, carry.names)]
    start, end = context.text.span(initial)
    return [Edit(start, start, "("), Edit(end, end, f", {', '.join(carry.names)})")]


def result_edits(context: FileContext, call: ast.expr, carry: Carry) -> list[Edit]:
    """The result has more elements now, or is the first element of what it was."""
    parent = context.tree.parents[call]
    end = context.text.span(call)[1]
    cut = [Edit(end, end, "[0]" if carry.size is None else f"[:{carry.size}]")]
    if isinstance(parent, ast.Expr):
        return []
    of_result = isinstance(parent, ast.Subscript) and parent.value is call
    if carry.size is not None and isinstance(parent, ast.Subscript) and of_result:
        index = constant_index(parent, carry.size)
        return subscript_edits(context, parent, carry.size) if index is not None else cut
    if isinstance(parent, ast.Assign) and len(parent.targets) == 1:
        edits = _assigned(context, parent, parent.targets[0], carry)
        if edits is not None:
            return edits
    return cut


def _assigned(
    context: FileContext, statement: ast.Assign, target: ast.expr, carry: Carry
) -> list[Edit] | None:
    """Edits to the target of the result; None when the result itself has to be cut."""
    ignored = ["_"] * len(carry.added)
    free = may_ignore(context, statement)
    if carry.size is None:
        if not isinstance(target, ast.Name) or not free:
            return None
        end = context.text.span(target)[1]
        return [Edit(end, end, f", {', '.join(ignored)}")]
    if isinstance(target, ast.Tuple):
        starred = any(isinstance(element, ast.Starred) for element in target.elts)
        if len(target.elts) != carry.size or starred or not free:
            return None
        return [appended(context, target, ignored)]
    if isinstance(target, ast.Name):
        return _subscripts(context, statement, target.id, carry.size)
    return None


def may_ignore(context: FileContext, statement: ast.stmt) -> bool:
    """Whether a statement may bind `_`: nobody reads it, and it does not become an attribute."""
    holder = context.tree.function_around(statement) or context.tree.root
    return not isinstance(context.tree.parents[statement], ast.ClassDef) and not any(
        isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Load)
        for node in ast.walk(holder)
    )


def _subscripts(
    context: FileContext, statement: ast.Assign, name: str, size: int
) -> list[Edit] | None:
    """A result of which nothing but elements are read, each by its place."""
    scope = context.tree.scope(statement)
    if scope.function == ir.MODULE_SCOPE or len(context.project.bindings(scope, name)) != 1:
        return None
    if name in context.project.function(scope).globals:
        return None
    edits: list[Edit] = []
    for load in context.finder.loads(scope, name):
        parent = context.tree.parents[load]
        if not isinstance(parent, ast.Subscript) or parent.value is not load:
            return None
        if constant_index(parent, size) is None:
            return None
        edits += subscript_edits(context, parent, size)
    return edits
