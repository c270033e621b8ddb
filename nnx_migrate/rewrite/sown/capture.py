"""What a function sows becomes its second result: `nnx.capture` around it, and its calls unpack."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.analysis.sites.tree import names_in
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.sown_plans import CapturedCall, CapturePlan, PassedOn
from nnx_migrate.rewrite.sown.accumulate import accumulated_edits
from nnx_migrate.rewrite.sown.auxiliary import auxiliary_edits
from nnx_migrate.rewrite.sown.reads import popper_edits, reading_edits
from nnx_migrate.rewrite.sown.unpack import (
    annotated_pair,
    auxiliary_result,
    returned_pair,
    second_result,
    unread_name,
)
from nnx_migrate.rewrite.style.layout import (
    insert_before,
    is_hoistable,
    line_after,
    removed_statement,
)
from nnx_migrate.rewrite.style.naming import fresh, state_name
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.text.edits import Edit


def capture_edits(context: FileContext, site: Site, plan: CapturePlan, nnx: str) -> list[Edit]:
    """Edits that put the function of a site under capture, and take the pops out.

    Raises:
        CannotEmit: the function is not to be seen.
    """
    variable_type = plan.filters(nnx)
    own = plan.within(context.tree.module)
    if plan.runs:
        (forward,) = plan.passes
        return accumulated_edits(context, site, forward, plan.runs, nnx, variable_type)
    edits: list[Edit] = []
    if plan.around_calls:
        return result_edits(context, site, own, nnx)
    if not plan.passes:
        edits += _around_function(context, site, nnx, variable_type)
    else:
        edits += auxiliary_edits(context, site, plan, nnx, variable_type)
    edits += option_edits(context, site, plan.options)
    return edits + result_edits(context, site, own, nnx)


def result_edits(context: FileContext, site: Site, plan: CapturePlan, nnx: str) -> list[Edit]:
    """Edits to all that a file does with the State.

    Args:
        site: that of the transform, of whichever file.
        plan: what is to be done in this one.

    Raises:
        CannotEmit: there is no place for it.
    """
    variable_type = plan.filters(nnx)
    edits: list[Edit] = []
    for call in plan.calls if plan.around_calls else ():
        edits += _around_call(context, call, nnx, variable_type)
    for passed_on in plan.passed_on:
        edits += _passed_on(context, site, plan, passed_on, nnx)
    for popper in dict.fromkeys(call.popper for call in plan.calls if call.popper is not None):
        edits += popper_edits(context, popper, state_name(plan.types[0].name), nnx)
    for call in plan.calls:
        names = _names_for(context, plan, call)
        bound: Callable[[str], list[Edit]]
        if call.before:
            capture = f"{nnx}.capture({{}}, {variable_type})" if plan.around_calls else "{}"
            bound = functools.partial(_made_before, context, call, capture)
        else:
            bound = _unpacking(context, site, plan, call)
        if call.parts:
            edits += _unpacked_parts(context, bound, call, names, nnx)
        else:
            edits += _unpacked(context, bound, call, names[0])
    return edits


def _fresh_names(plan: CapturePlan, taken: set[str]) -> list[str]:
    return fresh([state_name(each.name) for each in plan.types], taken)


def _names_for(context: FileContext, plan: CapturePlan, call: CapturedCall) -> list[str]:
    """The names of what a call sows.

    Between a call and its pop no other one stands, so that names can recur. What is read for good
    is named after its object, of which there is one such call.
    """
    taken = context.taken_names(call.use)
    block = context.tree.block_of(context.tree.statement(call.use))
    popped = (
        isinstance(r.node, ast.Call)
        and _is_pop(context, r.node)
        and context.tree.statement(r.node) in block
        and is_hoistable(context, r.node)
        for r in call.reads
    )
    if call.pop is not None or any(popped):
        return _fresh_names(plan, taken)
    model = context.text.of(call.use.args[0])
    return fresh([f"{model}_{state_name(each.name)}" for each in plan.types], taken)


def _is_pop(context: FileContext, call: ast.Call) -> bool:
    return context.tree.nnx_name(call.func) == "pop"


def _passed_on(
    context: FileContext, site: Site, plan: CapturePlan, passed_on: PassedOn, nnx: str
) -> list[Edit]:
    """The function that calls what the transform gives returns the State beside its result."""
    holder = context.tree.function_around(passed_on.use)
    assert isinstance(holder, ast.FunctionDef)
    edits = annotated_pair(context, holder.returns, nnx, len(plan.types))
    if passed_on.returned is None:
        return edits
    name = ", ".join(_fresh_names(plan, names_in(holder)))
    if passed_on.before:
        edits += _made_before(context, passed_on, "{}", name)
    else:
        edits += _unpacking(context, site, plan, passed_on)(name)
    return edits + returned_pair(context, passed_on.returned, name)


def _around_function(context: FileContext, site: Site, nnx: str, variable_type: str) -> list[Edit]:
    if site.form == "decorator":
        assert site.node.end_lineno is not None
        place = line_after(context, site.node.end_lineno)
        indent = context.text.indent_of_line(site.node.lineno)
        return [Edit(place, place, f"{indent}@{nnx}.capture({variable_type}){context.newline}")]
    if not isinstance(site.function, ast.expr):
        raise CannotEmit("the function of the transform is not to be seen")
    start, end = context.text.span(site.function)
    return [Edit(start, start, f"{nnx}.capture("), Edit(end, end, f", {variable_type})")]


def _unpacking(
    context: FileContext, site: Site, plan: CapturePlan, call: CapturedCall | PassedOn
) -> Callable[[str], list[Edit]]:
    """How the result of a call is unpacked into what it was and a State of a name."""
    statement = context.tree.statement(call.use)
    outside = plan.around_calls or call.passed_on
    if outside or not (site.spec.differentiates or plan.in_pair):
        return functools.partial(second_result, context, statement)
    # What the function returns is a pair, or comes with its gradient, or both.
    has_value = site.spec.has_value
    return functools.partial(auxiliary_result, context, statement, has_value, plan.in_pair)


def _unpacked(
    context: FileContext, bound: Callable[[str], list[Edit]], call: CapturedCall, name: str
) -> list[Edit]:
    """The State that a call gives takes the place of what the pop gave."""
    taking = context.tree.statement(call.use)
    taken = call.taken
    popping = context.tree.statement(taken)
    beside = popping in context.tree.block_of(taking)
    if call.pop is None and not (beside and len(call.reads) == 1 and not call.reads[0].path):
        return bound(name) + reading_edits(context, call.reads, name)
    in_one = _pair_in_one(context, call)
    if in_one:
        return in_one
    match popping:
        case ast.Expr(value=value) if value is taken:  # what was sown is thrown away
            if isinstance(taking, ast.Expr) and taking.value is call.use:
                return [removed_statement(context, popping)]
            return [*bound(unread_name(context, name)), removed_statement(context, popping)]
        case ast.Assign(targets=[ast.Name(id=own)], value=value) if value is taken:
            if not _is_named_between(context, taking, popping, own):
                return [*bound(own), removed_statement(context, popping)]
    if context.comments_between(*context.text.span(taken)):
        raise CannotEmit("a comment stands in the call of nnx.pop")
    return [*bound(name), Edit(*context.text.span(taken), name)]


def _unpacked_parts(
    context: FileContext,
    bound: Callable[[str], list[Edit]],
    call: CapturedCall,
    names: list[str],
    nnx: str,
) -> list[Edit]:
    """The States of several types take the place of those that the pop gave."""
    popping = context.tree.statement(call.taken)
    if isinstance(popping, ast.Expr) and popping.value is call.taken:
        return [*bound(", ".join(names)), removed_statement(context, popping)]
    if context.comments_between(*context.text.span(call.taken)):
        raise CannotEmit("a comment stands in the call of nnx.pop")
    own = _own_names(context, call)
    if own:
        return [*bound(", ".join(own)), removed_statement(context, popping)]
    given = [_merged([names[place] for place in part], nnx) for part in call.parts]
    text = ", ".join(given)
    whole = isinstance(popping, ast.Assign) and popping.value is call.taken
    if len(given) > 1 and not whole:
        text = f"({text})"
    return [*bound(", ".join(names)), Edit(*context.text.span(call.taken), text)]


def _own_names(context: FileContext, call: CapturedCall) -> list[str]:
    """The names that a pop by types binds, in the order of the types; none where it does not."""
    popping = context.tree.statement(call.taken)
    match popping:
        case ast.Assign(targets=[ast.Tuple(elts=elements)], value=value) if value is call.taken:
            bound = [each.id for each in elements if isinstance(each, ast.Name)]
        case _:
            return []
    taking = context.tree.statement(call.use)
    single = all(len(part) == 1 for part in call.parts) and len(call.parts) == len(bound)
    if not single or len(elements) != len(bound) or len(set(bound)) != len(bound):
        return []
    if any(_is_named_between(context, taking, popping, name) for name in bound):
        return []
    places = [part[0] for part in call.parts]
    return [bound[places.index(place)] for place in range(len(bound))]


def _merged(names: list[str], nnx: str) -> str:
    if len(names) == 1:
        return names[0]
    return f"{nnx}.merge_state({', '.join(names)})" if names else f"{nnx}.State({{}})"


def _around_call(
    context: FileContext, call: CapturedCall, nnx: str, variable_type: str
) -> list[Edit]:
    """What a call runs is put under capture; one that moves is, where it goes."""
    if call.before and not _is_pair(context, call):
        return []
    start, end = context.text.span(call.use.func)
    return [Edit(start, start, f"{nnx}.capture("), Edit(end, end, f", {variable_type})")]


def _made_before(
    context: FileContext, call: CapturedCall | PassedOn, capture: str, state: str
) -> list[Edit]:
    """A call that is part of an expression is made before the statement that this is in.

    Args:
        capture: what is called instead of "{}".
    """
    span = context.text.span(call.use)
    if context.comments_between(*span):
        raise CannotEmit("a comment stands in the call")
    (outputs,) = fresh(["outputs"], context.taken_names(call.use) | {state})
    func = context.text.of(call.use.func)
    arguments = context.text.text[context.text.span(call.use.func)[1] : span[1]]
    line = f"{outputs}, {state} = {capture.format(func)}{arguments}"
    statement = context.tree.statement(call.use)
    return [insert_before(context, statement, [line]), Edit(*span, outputs)]


def _pair_in_one(context: FileContext, call: CapturedCall) -> list[Edit]:
    """`(f(model), nnx.pop(model, T))` is what the call alone gives now."""
    if not _is_pair(context, call):
        return []
    start, end = context.text.span(call.use)[1], context.text.span(call.taken)[1]
    if context.comments_between(start, end):
        raise CannotEmit("a comment stands before nnx.pop")
    return [Edit(start, end, "")]


def _is_pair(context: FileContext, call: CapturedCall) -> bool:
    parent = context.tree.parents[call.use]
    return isinstance(parent, ast.Tuple) and parent.elts == [call.use, call.taken]


def _is_named_between(context: FileContext, taking: ast.stmt, popping: ast.stmt, name: str) -> bool:
    """Whether the name means something else yet where the call stands."""
    block = context.tree.block_of(taking)
    earlier: Iterable[ast.stmt] = block[block.index(taking) : block.index(popping)]
    return any(name in names_in(each) for each in earlier)
