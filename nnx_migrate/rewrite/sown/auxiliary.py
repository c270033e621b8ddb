"""What the calls in a function sow becomes a result of it; of a loss, an auxiliary output."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.sown_plans import CapturePlan
from nnx_migrate.rewrite.sown.unpack import (
    annotated_pair,
    in_parentheses,
    returned_pair,
    second_result,
)
from nnx_migrate.rewrite.style.layout import insert_before
from nnx_migrate.rewrite.style.naming import fresh, state_name
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.text.edits import Edit, apply_edits


def auxiliary_edits(
    context: FileContext,
    site: Site,
    plan: CapturePlan,
    nnx: str,
    variable_type: str,
) -> list[Edit]:
    """Edits to a function and to the transform of it.

    Args:
        variable_type: source text of what is sown.

    Raises:
        CannotEmit: there is no place for it.
    """
    definition = definition_of(context, site.function)
    if isinstance(definition, ast.Lambda) and site.spec.differentiates:
        return _defined_lambda(context, site, definition, plan, (f"{nnx}.capture", variable_type))
    if isinstance(definition, ast.Lambda):
        (forward,) = plan.passes
        start, end = context.text.span(forward.func)
        return [Edit(start, start, f"{nnx}.capture("), Edit(end, end, f", {variable_type})")]
    assert isinstance(definition, ast.FunctionDef)
    taken = names_in(definition)
    (state,) = fresh([state_name(variable_type)], taken)
    edits = _captured_calls(context, definition, plan.passes, nnx, variable_type, state)
    (returned,) = [node for node in definition.body if isinstance(node, ast.Return)]
    if not site.spec.differentiates and not plan.in_pair:
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


def _defined_lambda(
    context: FileContext,
    site: Site,
    definition: ast.Lambda,
    plan: CapturePlan,
    made: tuple[str, str],
) -> list[Edit]:
    """A lambda becomes a definition in front of its statement.

    Args:
        made: how capture is called, and the type that it collects.
    """
    capture, variable_type = made
    span = context.text.span(definition)
    if context.comments_between(*span):
        raise CannotEmit("a comment stands in the lambda")
    taken = context.taken_names(definition) | names_in(definition)
    (name,) = fresh(["loss_fn"], taken)
    (state,) = fresh([state_name(variable_type)], taken)
    chained = f"{variable_type}, init={state}"
    lines, edits = _made_lines(
        context, plan.passes, (capture, variable_type, chained), state, taken
    )
    start, end = context.text.span(definition.body)
    moved = [Edit(e.start - start, e.end - start, e.replacement) for e in edits]
    body = apply_edits(context.text.text[start:end], moved)
    if plan.in_pair:
        assert isinstance(definition.body, ast.Tuple)
        first, second = (_edited(context, each, edits) for each in definition.body.elts)
        returned = f"{first}, ({second}, {state})"
    else:
        whole = definition.body
        closed = isinstance(whole, ast.Tuple) and in_parentheses(context, whole)
        lined = "\n" in body or "\r" in body or isinstance(whole, ast.Tuple)
        returned = f"({body}), {state}" if lined and not closed else f"{body}, {state}"
    unit = context.indent_unit
    parameters = ", ".join(each.arg for each in definition.args.args)
    text = [f"def {name}({parameters}):", *(f"{unit}{line}" for line in lines)]
    text += [f"{unit}return {returned}", ""]
    statement = context.tree.statement(definition)
    found = [insert_before(context, statement, text), Edit(*span, name)]
    return found if plan.in_pair else found + option_edits(context, site, {"has_aux": "True"})


def _edited(context: FileContext, part: ast.expr, edits: Sequence[Edit]) -> str:
    """Source text of an expression with those of some edits that are within it."""
    start, end = context.text.span(part)
    own = [e for e in edits if start <= e.start and e.end <= end]
    return apply_edits(
        context.text.text[start:end],
        [Edit(e.start - start, e.end - start, e.replacement) for e in own],
    )


def _annotated_aux(definition: ast.FunctionDef) -> ast.expr | None:
    """What the auxiliary output of a loss is annotated as."""
    match definition.returns:
        case None:
            return None
        case ast.Subscript(slice=ast.Tuple(elts=[_, aux])):
            return aux
        case _:
            raise CannotEmit("the annotation of what the loss returns is not written as a pair")


def _captured_calls(
    context: FileContext,
    definition: ast.FunctionDef,
    passes: Sequence[ast.Call],
    nnx: str,
    variable_type: str,
    state: str,
) -> list[Edit]:
    """Each call goes on with the State of the one before, where there may be one."""
    first, *_ = (context.tree.statement(call) for call in passes)
    edits: list[Edit] = []
    chained = f"{variable_type}, init={state}"
    collected = variable_type
    if first not in definition.body:
        start = next(s for s in definition.body if first in ast.walk(s))
        edits.append(insert_before(context, start, [f"{state} = {nnx}.State({{}})"]))
        collected = chained
    taken = names_in(definition)
    by_statement: dict[ast.AST, list[ast.Call]] = {}
    for call in passes:
        by_statement.setdefault(context.tree.statement(call), []).append(call)
    for calls in by_statement.values():
        made = (f"{nnx}.capture", collected, chained)
        edits += _captured_in(context, calls, made, state, taken)
        collected = chained
    return edits


def captured_call(
    context: FileContext,
    forward: ast.Call,
    capture: str,
    variable_type: str,
    state: str,
    taken: set[str],
) -> list[Edit]:
    """One call goes under capture, which gives a State of that name too."""
    return _captured_in(context, [forward], (capture, variable_type, variable_type), state, taken)


def _captured_in(
    context: FileContext,
    calls: Sequence[ast.Call],
    made: tuple[str, str, str],
    state: str,
    taken: set[str],
) -> list[Edit]:
    """The calls in one statement.

    Args:
        made: how capture is called, with what for the first call, and for the others.
    """
    capture, collected, chained = made
    calls = sorted(calls, key=lambda call: context.text.span(call)[1])
    *others, last = calls
    statement = context.tree.statement(last)
    if not (isinstance(statement, ast.Assign) and statement.value is last):
        lines, edits = _made_lines(context, calls, made, state, taken)
        return [insert_before(context, statement, lines), *edits]
    if len(statement.targets) != 1:
        raise CannotEmit("the output of the Module is bound to several names at once")
    lines, edits = _made_lines(context, others, made, state, taken)
    start, end = context.text.span(last.func)
    collected = chained if others else collected
    edits += [Edit(start, start, f"{capture}("), Edit(end, end, f", {collected})")]
    edits += second_result(context, statement, state)
    return [insert_before(context, statement, lines), *edits] if lines else edits


def _made_lines(
    context: FileContext,
    calls: Sequence[ast.Call],
    made: tuple[str, str, str],
    state: str,
    taken: set[str],
) -> tuple[list[str], list[Edit]]:
    """Statements that make calls, and what takes their places; one may be an argument of another.

    Args:
        made: how capture is called, with what for the first call, and for the others.
    """
    capture, collected, chained = made
    calls = sorted(calls, key=lambda call: context.text.span(call)[1])
    outputs = fresh(["y"] * len(calls), {*taken, state}, "model")
    lines: list[str] = []
    done: list[Edit] = []
    for call, output in zip(calls, outputs, strict=True):
        span = context.text.span(call)
        if context.comments_between(*span):
            raise CannotEmit("a comment stands in the call of the Module")
        func = context.text.of(call.func)
        start = context.text.span(call.func)[1]
        inner = [e for e in done if span[0] <= e.start and e.end <= span[1]]
        moved = [Edit(e.start - start, e.end - start, e.replacement) for e in inner]
        arguments = apply_edits(context.text.text[start : span[1]], moved)
        lines.append(f"{output}, {state} = {capture}({func}, {collected}){arguments}")
        done = [*(e for e in done if e not in inner), Edit(*span, output)]
        collected = chained
    return lines, done
