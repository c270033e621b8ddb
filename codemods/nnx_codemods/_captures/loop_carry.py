"""Whether what the functions of a loop capture may become part of its carry."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from nnx_codemods._captures.captures import Captured, calls_of_decorated
from nnx_codemods._captures.disjoint_names import disjoint
from nnx_codemods._captures.refusal import CaptureCause
from nnx_codemods._claims import RuleClaim
from nnx_codemods._freshness.disjointness import why_together
from nnx_migrate.analysis.domain.containers import all_leaves
from nnx_migrate.analysis.domain.values import (
    ARRAY,
    PLAIN,
    LibraryValue,
    Located,
    Values,
    is_unknown,
)
from nnx_migrate.analysis.flax.transforms import JAX_SITES
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lowering.expressions import lower_expr
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.place import Place
from nnx_migrate.core.refusal import Reason
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import Capture
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.stacks import stack_of
from nnx_migrate.sources.bound_names import binds


def overlap(context: FileContext, site: Site, captured: Captured) -> Evidence | None:
    """Why something that is carried already may share a Variable with what is captured.

    Loops of tree mode do not notice what goes in twice: the last one wins (docs/semantics.md:
    LOP-1).
    """
    for capture in captured.objects:
        scope = context.tree.scope(site.node)
        values = context.evaluator.values(scope, ir.Name(capture.name))
        doubt = not_a_tree(context, values, context.where(site.node))
        if doubt is not None:
            return doubt
    for element, is_array in _given(context, site):
        values = context.values(element)
        if is_array or is_data(values):
            continue
        text = ast.unparse(element)
        if is_unknown(values):
            claim = str(RuleClaim.PASSED_PARTS_UNKNOWN.about(text=text))
            where = context.where(element)
            return Evidence(claim, Proof.ASSUMED, where, Permission.UNKNOWN_PARTS)
        if any(each.transform in JAX_SITES for each in stack_of(context, site)):
            claim = str(RuleClaim.DROPS_UPDATES.about(text=text))
            return Evidence(claim, Proof.PROVED, context.where(element))
        reasons = (_together(context, site, element, capture) for capture in captured.objects)
        if reason := next(filter(None, reasons), ""):
            why = CaptureCause.PASSED_MAY_SHARE.about(text=text, reason=reason)
            return Evidence(str(why), Proof.PROVED, context.where(element))
    return None


def not_a_tree(context: FileContext, values: Values, where: Place) -> Evidence | None:
    """Why an object may hold something twice; then tree mode captures it, but does not take it."""
    shared = context.analysis.sharing.of(values)
    if shared:
        return Evidence(shared, Proof.PROVED, where)
    unseen = context.analysis.contents.of(values).unseen
    if unseen:
        claim = str(RuleClaim.PARTS_UNKNOWN.about(why=unseen[0]))
        return Evidence(claim, Proof.ASSUMED, where, Permission.UNKNOWN_PARTS)
    return None


def _given(context: FileContext, site: Site) -> Iterator[tuple[ast.expr, bool]]:
    """What is passed already, and whether the body of a loop shows it to be an array."""
    steps = site.spec.iterates and site.spec.carries and site.spec.calls_at_once  # of jax
    if not site.spec.is_loop and not steps:
        for use in stack_of(context, site)[0].uses if site.form != "operands" else ():
            yield from ((argument, False) for argument in use.args)
        yield from ((operand, False) for operand in site.operands)
        for call in calls_of_decorated(context, site):
            yield from ((argument, False) for argument in call.args)
        return
    carried, *scanned = site.operands
    elements = carried.elts if isinstance(carried, ast.Tuple) else [carried]
    body = definition_of(context, site.functions[-1])
    returned = _returned(body)
    if not site.spec.is_loop:
        pair = isinstance(returned, ast.Tuple) and len(returned.elts) == 2
        returned = returned.elts[0] if pair and isinstance(returned, ast.Tuple) else None
    for place, element in enumerate(elements):
        yield element, _returned_data(context, body, returned, place, len(elements))
    yield from ((each, False) for each in scanned)


def is_unchanged(context: FileContext, site: Site, captured: Captured) -> bool:
    """Whether what a compiled function captures is the same each time that it is called.

    It is called once at most each time that it is made; or it updates nothing itself, and nothing
    that runs from its first call to the last one can.
    """
    site = stack_of(context, site)[0]
    calls = [*calls_of_decorated(context, site), *site.uses]
    holder = context.tree.function_around(site.node)
    if not calls or site.escapes:
        return False
    if any(context.tree.function_around(call) is not holder for call in calls):
        return False
    around = {*context.tree.ancestors(site.node)}
    repeating = [
        parent
        for call in calls
        for parent in context.tree.ancestors(call)
        if isinstance(parent, _REPEATING) and parent not in around
    ]
    if len(calls) == 1 and not repeating:
        return True
    if captured.unseen or any(use.kind == "update" for use in captured.uses):
        return False
    spans = [(node.lineno, node.end_lineno or 0) for node in (*calls, *repeating)]
    first, last = min(start for start, _ in spans), max(end for _, end in spans)
    names = {name for capture in captured.objects for name, _ in capture.ways()}
    return not any(
        first <= getattr(node, "lineno", 0) <= last and node not in calls
        for node in ast.walk(holder or context.tree.root)
        if _may_change(context, node, names)
    )


def _may_change(context: FileContext, node: ast.AST, names: set[str]) -> bool:
    """Whether this may change an object or run code that does, or binds one of these names."""
    if isinstance(node, ast.Yield | ast.YieldFrom | ast.Await | ast.With | ast.AsyncWith):
        return True
    if isinstance(node, ast.For | ast.comprehension) and not isinstance(node.iter, ast.Call):
        return not is_data(context.values(node.iter))
    if isinstance(node, ast.Call):
        values = context.values(node.func)
        return not values or not all(
            isinstance(value, LibraryValue) and value.dotted.startswith(_HARMLESS)
            for value in values
        )
    stored = isinstance(getattr(node, "ctx", None), ast.Store | ast.Del)
    if isinstance(node, ast.Name):
        return stored and node.id in names
    return stored and isinstance(node, ast.Attribute | ast.Subscript)


_HARMLESS = ("jax.numpy.", "jax.random.", "jax.nn.", "numpy.", "math.", "builtins.")
_REPEATING = (
    ast.For
    | ast.AsyncFor
    | ast.While
    | ast.ListComp
    | ast.SetComp
    | ast.DictComp
    | ast.GeneratorExp
)


def _together(context: FileContext, site: Site, element: ast.expr, capture: Capture) -> Reason:
    captured = Located(context.tree.scope(site.node), ir.Name(capture.name))
    values = context.evaluator.values(captured.scope, captured.expr)
    if disjoint(context, context.values(element), values):
        return ""
    given = Located(context.tree.scope(element), lower_expr(element))
    return why_together(context, given, captured)


def is_data(values: Values) -> bool:
    """Whether it is made of arrays and numbers alone."""
    return all_leaves(values, (ARRAY | PLAIN).__contains__)


def _returned(body: AnyFunction | None) -> ast.expr | None:
    if isinstance(body, ast.Lambda):
        return body.body
    if isinstance(body, FunctionNode) and isinstance(body.body[-1], ast.Return):
        return body.body[-1].value
    return None


def _returned_data(
    context: FileContext,
    body: AnyFunction | None,
    returned: ast.expr | None,
    place: int,
    size: int,
) -> bool:
    """Whether the body returns an array there: a carry keeps its structure."""
    if returned is None:
        return False
    if isinstance(returned, ast.Tuple) and len(returned.elts) == size and size > 1:
        returned = returned.elts[place]
    if is_data(context.values(returned)):
        return True
    if not isinstance(returned, ast.Name) or not isinstance(body, FunctionNode):
        return False
    for statement in reversed(body.body[:-1]):
        if any(binds(node, {returned.id}) for node in ast.walk(statement)):
            match statement:
                case ast.Assign(targets=[ast.Name()], value=value):
                    return is_data(context.values(value))
            return False
    return False
