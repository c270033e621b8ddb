"""What a function sows is popped at its end, comes out with its result, and is put back outside.

    y, sown = nnx.vmap(lambda m, x: (m(x), nnx.clone(nnx.pop(m, T))), in_axes=axes)(model, x)
    nnx.update(model, sown)

The copy is for what lay on the object before the call: what the function is given it may not
return in tree mode.
"""

from __future__ import annotations

import ast

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.model.sown_plans import PutBack
from nnx_migrate.rewrite.sown.unpack import in_parentheses, second_result, unread_name
from nnx_migrate.rewrite.split.wrappers import fits
from nnx_migrate.rewrite.style.layout import check_hoistable, insert_before, line_after
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.style.options import option_edits
from nnx_migrate.rewrite.text.edits import Edit, apply_edits

#: By how much `_, sown = ` makes a line longer.
_UNPACKED = 10


def put_back_edits(context: FileContext, site: Site, plan: PutBack, nnx: str) -> list[Edit]:
    """Edits that have a function pop what it sows, and its call put it back.

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
    return edits + _unpacked(context, plan, nnx)


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
    (name,) = fresh([site.spec.lambda_name], context.taken_names(function))
    lines = [f"def {name}({parameters}):", f"{context.indent_unit}return {result}", ""]
    defined = insert_before(context, context.tree.statement(function), lines)
    return [defined, Edit(start, end, name)]


def _result_of(function: ast.Lambda | ast.FunctionDef) -> ast.expr:
    if isinstance(function, ast.Lambda):
        return function.body
    last = function.body[-1]
    if not isinstance(last, ast.Return) or last.value is None:
        raise CannotEmit("the function does not end with what it returns")
    return last.value


def _with_popped(context: FileContext, plan: PutBack, popped: str) -> list[Edit]:
    """What was sown is the last part of what a function returns."""
    result = _result_of(plan.function)
    left, right = ("", "") if isinstance(plan.function, ast.FunctionDef) else ("(", ")")
    if plan.in_pair:
        if not isinstance(result, ast.Tuple) or len(result.elts) != 2:
            raise CannotEmit("what the function returns is not written as a pair")
        result, left, right = result.elts[1], "(", ")"
    start, end = context.text.span(result)
    if isinstance(result, ast.Tuple) and not in_parentheses(context, result):
        return [Edit(start, start, f"{left}("), Edit(end, end, f"), {popped}{right}")]
    return [Edit(start, start, left), Edit(end, end, f", {popped}{right}")]


def _unpacked(context: FileContext, plan: PutBack, nnx: str) -> list[Edit]:
    """The statement of the call takes what was sown, and the next one puts it back."""
    statement = context.tree.statement(plan.use)
    taken = context.taken_names(plan.use)
    (sown,) = fresh(["sown"], taken)
    update = f"{nnx}.update({context.text.of(plan.given)}, {sown})"
    target: ast.expr | None = None
    match statement:
        case ast.Assign(targets=[bound_to], value=value) if value is plan.use:
            target = bound_to
        case ast.Expr(value=value) if value is plan.use:
            pass
        case _:
            return _made_before(context, plan, taken, sown, update)
    if not plan.in_pair:
        edits = second_result(context, statement, sown)
    elif target is None:
        start = context.text.span(statement)[0]
        unread = unread_name(context, "result")
        edits = [Edit(start, start, f"{unread}, ({unread}, {sown}) = ")]
    elif isinstance(target, ast.Tuple) and len(target.elts) == 2:
        start, end = context.text.span(target.elts[1])
        edits = [Edit(start, start, "("), Edit(end, end, f", {sown})")]
    else:
        raise CannotEmit("the result is not unpacked into a carry and outputs")
    return [*edits, _behind(context, statement, [update])]


def _made_before(
    context: FileContext, plan: PutBack, taken: set[str], sown: str, update: str
) -> list[Edit]:
    """A call that is part of a statement is made, and what it sows put back, in front of that."""
    check_hoistable(context, plan.use)
    span = context.text.span(plan.use)
    if context.comments_between(*span):
        raise CannotEmit("a comment stands in the call")
    statement = context.tree.statement(plan.use)
    if plan.in_pair:
        carry, outputs = fresh(["carry", "outputs"], taken | {sown})
        bound, read = f"{carry}, ({outputs}, {sown})", f"{carry}, {outputs}"
    else:
        (read,) = fresh(["result"], taken | {sown})
        bound = f"{read}, {sown}"
    if isinstance(statement, ast.Return) and statement.value is plan.use:
        start = context.text.span(statement)[0]
        edit = Edit(start, span[0], f"{bound} = ")
        return [edit, _behind(context, statement, [update, f"return {read}"])]
    raise CannotEmit("the call is part of a larger expression")


def _behind(context: FileContext, statement: ast.stmt, lines: list[str]) -> Edit:
    """Statements behind another one, at its indentation."""
    assert statement.end_lineno is not None
    text, newline = context.text, context.newline
    indent = text.indent_of_line(statement.lineno)
    start, end = text.span(statement)
    place = line_after(context, statement.end_lineno)
    above = text.text[text.line_start(statement.lineno) : start]
    if above.strip() or text.text[end:place].partition("#")[0].strip():
        raise CannotEmit("other code stands on the line of the call")
    block = "".join(f"{indent}{line}{newline}" for line in lines)
    if not text.text[:place].endswith(("\n", "\r")):
        block = newline + block.removesuffix(newline)
    return Edit(place, place, block)
