"""What one call in a function sows becomes a result of it; of a loss, an auxiliary output."""

from __future__ import annotations

import ast

from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.syntax import names_in
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.functions import definition_of
from nnx_migrate.rewrite.layout import insert_before
from nnx_migrate.rewrite.naming import fresh, state_name
from nnx_migrate.rewrite.options import option_edits
from nnx_migrate.rewrite.plan import CannotEmit, CapturePlan
from nnx_migrate.rewrite.unpacking import annotated_pair, returned_pair, second_result

#: Transforms whose functions return a loss, and what else they return as auxiliary output.
GRADIENTS = frozenset({"grad", "value_and_grad"})


def auxiliary_edits(
    context: FileContext,
    site: Site,
    plan: CapturePlan,
    forward: ast.Call,
    nnx: str,
    variable_type: str,
) -> list[Edit]:
    """Edits to a function and to the transform of it.

    Args:
        forward: the call in the function that sows.
        variable_type: source text of what it sows.

    Raises:
        CannotEmit: there is no place for it.
    """
    definition = definition_of(context, site.function)
    if isinstance(definition, ast.Lambda):
        start, end = context.text.span(forward.func)
        return [Edit(start, start, f"{nnx}.capture("), Edit(end, end, f", {variable_type})")]
    assert isinstance(definition, ast.FunctionDef)
    taken = names_in(definition)
    (state,) = fresh([state_name(variable_type)], taken)
    edits = captured_call(context, forward, f"{nnx}.capture", variable_type, state, taken)
    (returned,) = [node for node in definition.body if isinstance(node, ast.Return)]
    if site.transform not in GRADIENTS and not plan.in_pair:
        edits += returned_pair(context, returned, state)
        return edits + annotated_pair(context, definition.returns, nnx)
    if plan.in_pair:
        assert isinstance(returned.value, ast.Tuple)
        edits += annotated_pair(context, _annotated_aux(definition), nnx)
        start, end = context.text.span(returned.value.elts[1])
        return [*edits, Edit(start, start, "("), Edit(end, end, f", {state})")]
    assert returned.value is not None
    end = context.text.span(returned.value)[1]
    edits.append(Edit(end, end, f", {state}"))
    edits += annotated_pair(context, definition.returns, nnx)
    return edits + option_edits(context, site, {"has_aux": "True"})


def _annotated_aux(definition: ast.FunctionDef) -> ast.expr | None:
    """What the auxiliary output of a loss is annotated as."""
    match definition.returns:
        case None:
            return None
        case ast.Subscript(slice=ast.Tuple(elts=[_, aux])):
            return aux
        case _:
            raise CannotEmit("the annotation of what the loss returns is not written as a pair")


def captured_call(
    context: FileContext,
    forward: ast.Call,
    capture: str,
    variable_type: str,
    state: str,
    taken: set[str],
) -> list[Edit]:
    statement = context.tree.statement(forward)
    start, end = context.text.span(forward.func)
    if isinstance(statement, ast.Assign) and statement.value is forward:
        if len(statement.targets) != 1:
            raise CannotEmit("the output of the Module is bound to several names at once")
        around = [Edit(start, start, f"{capture}("), Edit(end, end, f", {variable_type})")]
        return around + second_result(context, statement, state)
    whole = context.text.span(forward)
    if context.comments_between(*whole):
        raise CannotEmit("a comment stands in the call of the Module")
    (output,) = fresh(["y"], {*taken, state}, "model")
    arguments = context.text.text[end : whole[1]]
    func = context.text.of(forward.func)
    line = f"{output}, {state} = {capture}({func}, {variable_type}){arguments}"
    return [insert_before(context, statement, [line]), Edit(*whole, output)]
