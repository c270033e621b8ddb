"""Losses of which not all is known: may the new code check, when it is traced, what they do?

The structure of the Module before and after the loss, and which Variables it holds, are compared
in the new code (`nnx.split` before and behind it). That finds attributes that are new, gone or
changed, and replaced Variables, in both modes. What it cannot find is left to be pinned: parts of
the Module that the loss returns, and what code in sight is known to do.
"""

from __future__ import annotations

import ast

from nnx_codemods._evidence import effects_on, is_graph_node
from nnx_migrate.analysis.domain.containers import all_leaves
from nnx_migrate.analysis.domain.values import Basic, Scope, Value, Values
from nnx_migrate.analysis.effects.causes import CalleeUnknown, MethodUnknown
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.core.findings import Evidence, Proof
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.functions import function_scopes

_MODULES = frozenset({"module"})


def checked_when_traced(
    context: FileContext, site: Site, index: int, values: Values
) -> Evidence | None:
    """What a check in the new code holds the loss to; None where a check would not be enough.

    Args:
        index: the place of the differentiated argument.
        values: what it can be.
    """
    if not context.options.trace_checks or not is_graph_node(context, values, _MODULES):
        return None
    if site.form != "call" or context.analysis.sharing.of(values):
        return None
    scopes = function_scopes(context, site)
    effects = effects_on(context, site, scopes, index)
    if any(effect.kind != "unknown" for effect in effects):
        return None
    in_sight = context.analysis.in_sight.differentiated(context.tree.module)
    for effect in effects:
        if not isinstance(effect.cause, CalleeUnknown | MethodUnknown):
            return None  # code in sight may be meant that is not found by its name
        possible = in_sight.possible(effect, is_object=True)
        if possible is not None and possible.by is not None:
            return None
    if not _returns_nothing_of_it(context, site, scopes):
        return None
    claim = f"the function leaves the structure of argument {index} alone"
    return Evidence(claim, Proof.CHECKED, context.where(site.node))


def _returns_nothing_of_it(context: FileContext, site: Site, scopes: tuple[Scope, ...]) -> bool:
    """Whether no result beside the loss, which is an array, can be a Variable or hold one."""
    option = site.options.get("has_aux")
    if option is None or (isinstance(option, ast.Constant) and option.value is False):
        return True
    return bool(scopes) and all(
        all_leaves(context.evaluator.values(scope, part), _is_data)
        for scope in scopes
        for returned in context.project.function(scope).returns
        for part in _beside_the_loss(returned)
    )


def _beside_the_loss(returned: ir.Expr) -> tuple[ir.Expr, ...]:
    if isinstance(returned, ir.Sequence) and len(returned.elements) > 1:
        return tuple(returned.elements[1:])
    return (returned,)


def _is_data(value: Value) -> bool:
    return isinstance(value, Basic) and value.sort in {"array", "plain"}
