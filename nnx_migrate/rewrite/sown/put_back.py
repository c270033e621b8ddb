"""What a function sows is popped at its end, comes out with its result, and is put back outside.

    y, sown = nnx.vmap(lambda m, x: (m(x), nnx.clone(nnx.pop(m, T))), in_axes=axes)(model, x)
    nnx.update(model, sown)

The copy is for what lay on the object before the call: what the function is given it may not
return in tree mode.
"""

from __future__ import annotations

import ast

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.causes import PoppedCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.sown_plans import PutBack
from nnx_migrate.rewrite.sown.unpack import (
    auxiliary_result,
    in_parentheses,
    second_result,
    unread_name,
)
from nnx_migrate.rewrite.split.arguments import positional_names
from nnx_migrate.rewrite.style.layout import check_hoistable, fits, insert_before, line_after
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.text.edits import Edit, apply_edits

#: By how much `_, sown = ` makes a line longer.
_UNPACKED = 10


def put_back_edits(context: FileContext, site: Site, plan: PutBack, nnx: str) -> list[Edit]:
    """Edits that have a function pop what it sows, and its calls put it back.

    Raises:
        CannotEmit: there is no place for it.
    """
    filters = ", ".join(each.source(nnx) for each in plan.types)
    if len(plan.types) > 1:
        filters = f"({filters})"
    popped = f"{nnx}.clone({nnx}.pop({plan.parameter}, {filters}))"
    edits = _with_popped(context, plan, popped)
    if isinstance(plan.function, ast.Lambda) and not plan.by_axes:
        edits = _short_enough(context, site, plan.function, edits)
    edits += option_edits(context, site, plan.options)
    if plan.twin:
        return edits + _beside_twin(context, site, plan, nnx)
    for use in plan.uses:
        edits = _unpacked(context, site, plan, use, nnx, edits)
    return edits


def _short_enough(
    context: FileContext, site: Site, function: ast.Lambda, edits: list[Edit]
) -> list[Edit]:
    """The edits to a lambda, or what makes it a definition where its line would be too long."""
    span = start, end = context.text.span(function)
    moved = [Edit(e.start - start, e.end - start, e.replacement) for e in edits]
    text = apply_edits(context.text.text[start:end], moved)
    if fits(context, span, text + " " * _UNPACKED):
        return edits
    begins = context.text.span(function.body)[0] - start
    header = context.text.text[start : start + begins]
    parameters = header.removeprefix("lambda").rpartition(":")[0].strip()
    result = text[begins:].removeprefix("(").removesuffix(")")
    if "\n" in text or "\r" in text or context.comments_between(start, end):
        return edits
    unit = context.indent_unit_at(function)
    (name,) = fresh([site.spec.lambda_name], context.taken_names(function))
    lines = [f"def {name}({parameters}):", f"{unit}return {result}", ""]
    defined = insert_before(context, context.tree.statement(function), lines)
    return [defined, Edit(start, end, name)]


def _result_of(function: ast.Lambda | ast.FunctionDef) -> ast.expr:
    if isinstance(function, ast.Lambda):
        return function.body
    last = function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        raise CannotEmit(PoppedCause.NO_RETURN_AT_END)
    return last.value


def _with_popped(context: FileContext, plan: PutBack, popped: str) -> list[Edit]:
    """What was sown is the last part of what a function returns."""
    result = _result_of(plan.function)
    left, right = ("", "") if isinstance(plan.function, ast.FunctionDef) else ("(", ")")
    if plan.in_pair:
        if not isinstance(result, ast.Tuple) or len(result.elts) != 2:
            raise CannotEmit(PoppedCause.RESULT_NO_PAIR)
        result, left, right = result.elts[1], "(", ")"
    start, end = context.text.span(result)
    if isinstance(result, ast.Tuple) and not in_parentheses(context, result):
        return [Edit(start, start, f"{left}("), Edit(end, end, f"), {popped}{right}")]
    return [Edit(start, start, left), Edit(end, end, f", {popped}{right}")]


def _beside_twin(context: FileContext, site: Site, plan: PutBack, nnx: str) -> list[Edit]:
    """The result of the transform gets a private name; a function that puts back has its name."""
    binding = site.binding
    assert binding is not None
    assert site.bound_name is not None
    parameters = positional_names(plan.function)
    result, outputs, sown = fresh(["result", "outputs", "sown"], {*parameters, plan.twin})
    bound = f"{result}, ({outputs}, {sown})" if plan.in_pair else f"{result}, {sown}"
    unit = context.indent_unit_at(binding)
    lines = [
        f"def {site.bound_name}({', '.join(parameters)}):",
        f"{unit}{bound} = {plan.twin}({', '.join(parameters)})",
        f"{unit}{nnx}.update({plan.parameter}, {sown})",
        f"{unit}return {result}, {outputs}" if plan.in_pair else f"{unit}return {result}",
    ]
    local = context.tree.scope(binding).function != ir.MODULE_SCOPE
    blank = [""] if local else ["", ""]
    after = [] if context.tree.block_of(binding)[-1] is binding or not local else [""]
    target = Edit(*context.text.span(binding.targets[0]), plan.twin)
    return [target, _behind(context, binding, [*blank, *lines, *after])]


def _unpacked(
    context: FileContext,
    site: Site,
    plan: PutBack,
    use: ast.Call,
    nnx: str,
    edits: list[Edit],
) -> list[Edit]:
    """Some edits, and those by which a call takes what was sown and the next statement puts it
    back."""
    statement = context.tree.statement(use)
    taken = context.taken_names(use)
    (sown,) = fresh(["sown"], taken)
    update = f"{nnx}.update({context.text.of(use.args[plan.place])}, {sown})"
    bound, read = _named_results(site, plan, taken, sown)
    match statement:
        case ast.Assign(targets=[_], value=whole) | ast.Expr(value=whole) if whole is use:
            unpacked = _taken(context, site, plan, statement, sown)
            if unpacked:
                return [*edits, *unpacked, _behind(context, statement, [update])]
    match statement:
        case ast.Return(value=value) if value is use:
            then = f"return {read}"
        case ast.Assign(targets=[target], value=value) if value is use:
            then = f"{context.text.of(target)} = {read}"
        case _:
            return _made_before(context, use, (bound, update, read), edits)
    start, end = context.text.span(statement)[0], context.text.span(use)[0]
    return [
        *edits,
        Edit(start, end, f"{bound} = "),
        _behind(context, statement, [update, then]),
    ]


def _taken(
    context: FileContext, site: Site, plan: PutBack, statement: ast.stmt, sown: str
) -> list[Edit]:
    """The statement unpacks what was sown; nothing where it does not show its place."""
    if site.spec.differentiates:
        try:
            has_value = site.spec.has_value
            return auxiliary_result(context, statement, has_value, plan.in_pair, sown)
        except CannotEmit:
            return []
    if not plan.in_pair:
        return second_result(context, statement, sown)
    match statement:
        case ast.Expr():
            start = context.text.span(statement)[0]
            unread = unread_name(context, "result")
            return [Edit(start, start, f"{unread}, ({unread}, {sown}) = ")]
        case ast.Assign(targets=[ast.Tuple(elts=[_, outputs])]):
            start, end = context.text.span(outputs)
            return [Edit(start, start, "("), Edit(end, end, f", {sown})")]
        case _:
            return []


def _named_results(site: Site, plan: PutBack, taken: set[str], sown: str) -> tuple[str, str]:
    """What the result of a call is bound to, and the result as it was."""
    loss, aux, grads = fresh(["loss", "aux", "grads"], taken | {sown})
    result, carry, outputs = fresh(["result", "carry", "outputs"], taken | {sown})
    if not site.spec.differentiates:
        if plan.in_pair:
            return f"{carry}, ({outputs}, {sown})", f"{carry}, {outputs}"
        return f"{result}, {sown}", result
    given = f"({aux}, {sown})" if plan.in_pair else sown
    if not site.spec.has_value:
        return f"{grads}, {given}", f"{grads}, {aux}" if plan.in_pair else grads
    value = f"({loss}, {aux})" if plan.in_pair else loss
    return f"({loss}, {given}), {grads}", f"{value}, {grads}"


def _made_before(
    context: FileContext, use: ast.Call, made: tuple[str, str, str], edits: list[Edit]
) -> list[Edit]:
    """A call that is part of a statement is made, and what it sows put back, in front of that.

    Args:
        made: what its result is bound to, what puts back what was sown, the result as it was.
        edits: some that may be within the call.
    """
    check_hoistable(context, use)
    start, end = context.text.span(use)
    if context.comments_between(start, end):
        raise CannotEmit(PoppedCause.COMMENT_IN_CALL)
    bound, update, read = made
    inner = [e for e in edits if start <= e.start and e.end <= end]
    moved = [Edit(e.start - start, e.end - start, e.replacement) for e in inner]
    line = f"{bound} = {apply_edits(context.text.text[start:end], moved)}"
    if "," in read:
        read = f"({read})"
    others = [e for e in edits if e not in inner]
    before = insert_before(context, context.tree.statement(use), [line, update])
    return [*others, before, Edit(start, end, read)]


def _behind(context: FileContext, statement: ast.stmt, lines: list[str]) -> Edit:
    """Statements behind another one, at its indentation."""
    assert statement.end_lineno is not None
    text, newline = context.text, context.newline
    indent = text.indent_of_line(statement.lineno)
    start, end = text.span(statement)
    place = line_after(context, statement.end_lineno)
    above = text.text[text.line_start(statement.lineno) : start]
    if above.strip() or text.text[end:place].partition("#")[0].strip():
        raise CannotEmit(PoppedCause.CODE_BESIDE_CALL)
    block = "".join(f"{indent}{line}{newline}" if line else newline for line in lines)
    if not text.text[:place].endswith(("\n", "\r")):
        block = newline + block.removesuffix(newline)
    return Edit(place, place, block)
