"""What a function sows becomes its second result: `nnx.capture` in it, and its calls unpack."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.causes import PoppedCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, CapturePlan
from nnx_migrate.rewrite.sown.unpack import (
    annotated_pair,
    auxiliary_result,
    second_result,
    unread_name,
)
from nnx_migrate.rewrite.style.layout import insert_before, line_after, removed_statement
from nnx_migrate.rewrite.style.naming import fresh, state_name
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.text.edits import Edit


def capture_edits(context: FileContext, site: Site, plan: CapturePlan, nnx: str) -> list[Edit]:
    """Edits that put the function of a site under capture, and take the pops out.

    Raises:
        CannotEmit: there is no place for it.
    """
    if plan.forward is None:
        edits = _around_function(context, site, nnx, plan.type.source(nnx))
    else:
        edits = _in_loss(context, site, plan, plan.forward, nnx)
    edits += option_edits(context, site, plan.options)
    for call in plan.calls:
        edits += _taken(context, site, plan, call)
    return edits


def _around_function(context: FileContext, site: Site, nnx: str, variable_type: str) -> list[Edit]:
    if site.form == "decorator":
        assert site.node.end_lineno is not None
        place = line_after(context, site.node.end_lineno)
        indent = context.text.indent_of_line(site.node.lineno)
        return [Edit(place, place, f"{indent}@{nnx}.capture({variable_type}){context.newline}")]
    if not isinstance(site.function, ast.expr):
        raise CannotEmit(PoppedCause.FUNCTION_NOT_SEEN)
    start, end = context.text.span(site.function)
    return [Edit(start, start, f"{nnx}.capture("), Edit(end, end, f", {variable_type})")]


def _in_loss(
    context: FileContext, site: Site, plan: CapturePlan, forward: ast.Call, nnx: str
) -> list[Edit]:
    """The forward pass of a loss goes under capture, and the State is an output of the loss."""
    definition = definition_of(context, site.function)
    assert isinstance(definition, ast.FunctionDef)
    returned = definition.body[-1]
    assert isinstance(returned, ast.Return)
    assert returned.value is not None
    (state,) = fresh([state_name(plan.type.name)], names_in(definition))
    edits = _captured_pass(context, forward, f"{nnx}.capture", plan.type.source(nnx), state)
    start, end = context.text.span(returned.value)
    if not plan.in_pair:
        edits.append(Edit(end, end, f", {state}"))
        return edits + annotated_pair(context, definition.returns, nnx)
    assert isinstance(returned.value, ast.Tuple)
    edits += annotated_pair(context, _annotated_aux(definition), nnx)
    start, end = context.text.span(returned.value.elts[1])
    return [*edits, Edit(start, start, "("), Edit(end, end, f", {state})")]


def _captured_pass(
    context: FileContext, forward: ast.Call, capture: str, variable_type: str, state: str
) -> list[Edit]:
    statement = context.tree.statement(forward)
    start, end = context.text.span(forward.func)
    if isinstance(statement, ast.Assign) and statement.value is forward:
        edits = [Edit(start, start, f"{capture}("), Edit(end, end, f", {variable_type})")]
        return edits + second_result(context, statement, state)
    span = context.text.span(forward)
    if context.comments_between(*span):
        raise CannotEmit(PoppedCause.COMMENT_IN_MODULE_CALL)
    (output,) = fresh(["y"], context.taken_names(forward) | {state}, "model")
    func, arguments = context.text.of(forward.func), context.text.text[end : span[1]]
    line = f"{output}, {state} = {capture}({func}, {variable_type}){arguments}"
    return [insert_before(context, statement, [line]), Edit(*span, output)]


def _annotated_aux(definition: ast.FunctionDef) -> ast.expr | None:
    """What the auxiliary output of a loss is annotated as."""
    match definition.returns:
        case None:
            return None
        case ast.Subscript(slice=ast.Tuple(elts=[_, aux])):
            return aux
        case _:
            raise CannotEmit(PoppedCause.ANNOTATION_NO_PAIR)


def _taken(context: FileContext, site: Site, plan: CapturePlan, call: CapturedCall) -> list[Edit]:
    """The State that a call gives takes the place of what the pop gave."""
    taking, popping = context.tree.statement(call.use), context.tree.statement(call.pop)
    (name,) = fresh([state_name(plan.type.name)], context.taken_names(call.use))
    match popping:
        case ast.Expr(value=value) if value is call.pop:  # what was sown is thrown away
            if isinstance(taking, ast.Expr) and not site.spec.differentiates:
                return [removed_statement(context, popping)]
            unread = unread_name(context, name)
            removed = removed_statement(context, popping)
            return [*_unpacked(context, site, plan, taking, unread), removed]
        case ast.Assign(targets=[ast.Name(id=own)], value=value) if value is call.pop:
            if not _is_named_between(context, taking, popping, own):
                removed = removed_statement(context, popping)
                return [*_unpacked(context, site, plan, taking, own), removed]
    if context.comments_between(*context.text.span(call.pop)):
        raise CannotEmit(PoppedCause.COMMENT_IN_POP)
    unpacked = _unpacked(context, site, plan, taking, name)
    return [*unpacked, Edit(*context.text.span(call.pop), name)]


def _unpacked(
    context: FileContext, site: Site, plan: CapturePlan, taking: ast.stmt, name: str
) -> list[Edit]:
    """The result of a call is unpacked into what it was and a State of a name."""
    if not site.spec.differentiates:
        return second_result(context, taking, name)
    return auxiliary_result(context, taking, site.spec.has_value, plan.in_pair, name)


def _is_named_between(context: FileContext, taking: ast.stmt, popping: ast.stmt, name: str) -> bool:
    """Whether the name means something else yet where the call stands."""
    block = context.tree.block_of(taking)
    earlier = block[block.index(taking) : block.index(popping)]
    return any(name in names_in(each) for each in earlier)
