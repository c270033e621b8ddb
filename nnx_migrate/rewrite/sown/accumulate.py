"""What several calls sow before one pop: each goes on with the State that the last one gave."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.functions import definition_of
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, Run
from nnx_migrate.rewrite.sown.auxiliary import captured_call
from nnx_migrate.rewrite.sown.unpack import annotated_pair, returned_pair, second_result
from nnx_migrate.rewrite.style.layout import insert_before, removed_statement
from nnx_migrate.rewrite.style.naming import fresh, state_name
from nnx_migrate.rewrite.text.edits import Edit


def accumulated_edits(
    context: FileContext,
    site: Site,
    forward: ast.Call,
    runs: tuple[Run, ...],
    nnx: str,
    variable_type: str,
) -> list[Edit]:
    """Edits to the function, which is given what was sown before, and to all its calls.

    Args:
        forward: the call in the function that sows.
        variable_type: source text of what it sows.

    Raises:
        CannotEmit: there is no place for it.
    """
    edits = _edit_function(context, site, forward, nnx, variable_type)
    for run in runs:
        edits += _edit_run(context, run, nnx, variable_type)
    return edits


def _edit_function(
    context: FileContext, site: Site, forward: ast.Call, nnx: str, variable_type: str
) -> list[Edit]:
    definition = definition_of(context, site.function)
    assert isinstance(definition, ast.FunctionDef)
    taken = names_in(definition)
    (state,) = fresh([state_name(variable_type)], taken)
    parameters = [*definition.args.posonlyargs, *definition.args.args]
    if len(definition.args.defaults) == len(parameters):
        raise CannotEmit("the first parameter of the function has a default")
    end = context.text.span(parameters[0])[1]
    annotated = any(each.annotation is not None for each in parameters)
    edits = [Edit(end, end, f", {state}: {nnx}.State" if annotated else f", {state}")]
    (returned,) = [node for node in definition.body if isinstance(node, ast.Return)]
    collected = f"{variable_type}, init={state}"
    if returned.value is forward:
        start, end = context.text.span(forward.func)
        edits += [Edit(start, start, f"{nnx}.capture("), Edit(end, end, f", {collected})")]
    else:
        # A parameter that is bound anew and returned would look like an argument that comes back.
        (new,) = fresh([f"new_{state}"], {*taken, state})
        edits += captured_call(context, forward, f"{nnx}.capture", collected, new, taken)
        edits += returned_pair(context, returned, new)
    return edits + annotated_pair(context, definition.returns, nnx)


def _edit_run(context: FileContext, run: Run, nnx: str, variable_type: str) -> list[Edit]:
    if run.pops:
        return _edit_mirrored(context, run, nnx, variable_type)
    (name,) = fresh([state_name(variable_type)], context.taken_names(run.pop))
    popping = context.tree.statement(run.pop)
    removed = isinstance(popping, ast.Expr) and popping.value is run.pop
    match popping:
        case ast.Assign(targets=[ast.Name(id=own)], value=value) if value is run.pop:
            if not _is_used(context, run, popping, own):
                name, removed = own, True
    edits = [insert_before(context, run.start, [f"{name} = {nnx}.State({{}})"])]
    for call in run.calls:
        edits += _passed(context, call, name)
    if removed:
        return [*edits, removed_statement(context, popping)]
    if context.comments_between(*context.text.span(run.pop)):
        raise CannotEmit("a comment stands in the call of nnx.pop")
    return [*edits, Edit(*context.text.span(run.pop), name)]


def _edit_mirrored(context: FileContext, run: Run, nnx: str, variable_type: str) -> list[Edit]:
    """What the object has is in a State all the time; a pop leaves an empty one."""
    model = context.text.of(run.calls[0].use.args[0])
    taken = context.taken_names(run.pop)
    (name,) = fresh([f"{model}_{state_name(variable_type)}"], taken)
    empty = f"{nnx}.State({{}})"
    edits = [insert_before(context, run.start, [f"{name} = {empty}"])]
    for call in run.calls:
        edits += _passed(context, call, name)
    for pop in run.pops:
        statement, span = context.tree.statement(pop), context.text.span(pop)
        if context.comments_between(*span):
            raise CannotEmit("a comment stands in the call of nnx.pop")
        match statement:
            case ast.Expr(value=value) if value is pop:
                edits.append(Edit(*span, f"{name} = {empty}"))
            case ast.Assign(targets=[ast.Name() as target], value=value) if value is pop:
                place = context.text.span(target)[1]
                edits += [Edit(place, place, f", {name}"), Edit(*span, f"{name}, {empty}")]
            case ast.Return() if not _is_in_try(context, statement):
                edits.append(Edit(*span, name))
            case _:
                (popped,) = fresh([state_name(variable_type)], {*taken, name})
                line = f"{popped}, {name} = {name}, {empty}"
                edits += [insert_before(context, statement, [line]), Edit(*span, popped)]
    return edits


def _is_in_try(context: FileContext, statement: ast.stmt) -> bool:
    return any(isinstance(n, ast.Try | ast.TryStar) for n in context.tree.ancestors(statement))


def _passed(context: FileContext, call: CapturedCall, name: str) -> list[Edit]:
    """A call is given the State, and gives the next one."""
    place = context.text.span(call.use.args[0])[1]
    statement = context.tree.statement(call.use)
    if not call.before:
        return [Edit(place, place, f", {name}"), *second_result(context, statement, name)]
    start, end = context.text.span(call.use)
    if context.comments_between(start, end):
        raise CannotEmit("a comment stands in the call")
    (outputs,) = fresh(["outputs"], context.taken_names(call.use) | {name})
    made = f"{context.text.text[start:place]}, {name}{context.text.text[place:end]}"
    line = f"{outputs}, {name} = {made}"
    return [insert_before(context, statement, [line]), Edit(start, end, outputs)]


def _is_used(context: FileContext, run: Run, popping: ast.stmt, name: str) -> bool:
    """Whether a name means something else from the first call to the pop."""
    block = context.tree.block_of(popping)
    between = block[block.index(run.start) : block.index(popping)]
    return any(name in names_in(each) for each in between)
