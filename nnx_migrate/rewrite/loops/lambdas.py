"""Lambdas as functions of a loop that gets a larger carry: edited in place, or made definitions."""

from __future__ import annotations

import ast

from nnx_migrate.analysis.sites.site import Site
from nnx_migrate.rewrite.loops.carry_layout import (
    Carry,
    LoopFunction,
    check_inner_names,
    index_edits,
    whole_name,
)
from nnx_migrate.rewrite.model.causes import LoopCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, NotRewritten
from nnx_migrate.rewrite.style.layout import insert_before, is_hoistable
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.style.tuple_display import appended
from nnx_migrate.rewrite.text.edits import Edit, apply_edits


def lambda_edits(
    context: FileContext,
    function: LoopFunction,
    definition: ast.Lambda,
    carry: Carry,
    *,
    returns: bool,
) -> list[Edit]:
    """A lambda reads the elements of the carry where it read what they stand for.

    Raises:
        CannotEmit: it cannot be told what it returns.
    """
    parameter = _parameter(context, function, carry)
    names = {name for capture in carry.added for name, _ in capture.ways()}
    check_inner_names(
        definition, {function.parameter.arg, *names}
    )  # its reads are edited where they stand
    edits: list[Edit] = []
    if carry.size is None:
        edits.append(Edit(*context.text.span(function.parameter), parameter))
        edits += [Edit(*context.text.span(n), f"{parameter}[0]") for n in function.loads]
    else:
        edits += index_edits(context, function, carry.size)
    elements = lambda_elements(context, function, carry)
    ways = {
        name: f"{element}{rest}"
        for element, capture in zip(elements, carry.added, strict=True)
        for name, rest in capture.ways()
    }
    edits += [Edit(*context.text.span(n), ways[n.id]) for n in function.captured]
    if returns:
        edits += lambda_result(context, definition.body, carry, elements)
    return edits


def _parameter(context: FileContext, function: LoopFunction, carry: Carry) -> str:
    return whole_name(context, function) if carry.size is None else function.parameter.arg


def lambda_elements(context: FileContext, function: LoopFunction, carry: Carry) -> list[str]:
    """How a lambda spells what it carries in addition."""
    parameter = _parameter(context, function, carry)
    return [f"{parameter}[{carry.start + place}]" for place in range(len(carry.added))]


def lambda_result(
    context: FileContext, body: ast.expr, carry: Carry, elements: list[str]
) -> list[Edit]:
    """Edits to what a lambda returns as the carry.

    Raises:
        CannotEmit: the carry has another size there.
    """
    start, end = context.text.span(body)
    more = ", ".join(elements)
    if carry.size is None:
        return [Edit(start, start, "("), Edit(end, end, f", {more})")]
    if isinstance(body, ast.Tuple):
        _check_size(body, carry.size)
        return [appended(context, body, elements)]
    simple = isinstance(body, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    opening, closing = ("(*", "") if simple else ("(*(", ")")
    return [Edit(start, start, opening), Edit(end, end, f"{closing}, {more})")]


def _check_size(body: ast.Tuple, size: int) -> None:
    if len(body.elts) != size or any(isinstance(e, ast.Starred) for e in body.elts):
        raise CannotEmit(LoopCause.OTHER_SIZE_RETURNED)


def defined_body(
    context: FileContext, site: Site, function: LoopFunction, carry: Carry
) -> list[Edit]:
    """Make a definition of a body that would be hard to read as a lambda; no edits if it is not.

    Raises:
        CannotEmit: it cannot be told what it returns.
    """
    definition = function.definition
    if not isinstance(definition, ast.Lambda) or not is_hoistable(context, site.node):
        return []
    start, end = context.text.span(definition)
    if context.comments_between(*context.text.span(definition.body)):
        return []
    if carry.size is not None and _is_short(context, function, definition, carry):
        return []
    name = fresh([_name(context, site)], context.taken_names(site.node))[0]
    try:
        place = insert_before(
            context, context.tree.statement(site.node), _lines(context, function, carry, name)
        )
    except NotRewritten:
        return []
    return [place, Edit(start, end, name)]


def _is_short(
    context: FileContext, function: LoopFunction, definition: ast.Lambda, carry: Carry
) -> bool:
    """Whether the lambda can be edited in place, and still is one that is easy to read."""
    try:
        edits = lambda_edits(context, function, definition, carry, returns=True)
    except NotRewritten:
        return False
    if any(capture.aliases for capture in carry.added):
        return False
    start, end = context.text.span(definition)
    first = context.text.line_start(context.text.line_of(start))
    moved = [Edit(e.start - first, e.end - first, e.replacement) for e in edits]
    line = apply_edits(context.text.text[first:end], moved).splitlines()[0]
    return len(line) <= context.options.width


def _name(context: FileContext, site: Site) -> str:
    """A name for the body; loops of one function have different ones."""
    holder = context.outermost_function(site.node)
    earlier = 0
    for other in context.finder.sites:
        if other.node is site.node:
            break
        made = any(isinstance(branch, ast.Lambda) for branch in other.branches)
        made = made and not any(isinstance(operand, ast.Tuple) for operand in other.operands)
        bound = any(isinstance(branch, ast.Attribute | ast.Call) for branch in other.branches)
        earlier += (made or bound) and context.outermost_function(other.node) is holder
    return f"body_{earlier + 1}" if earlier else "body"


def _lines(context: FileContext, function: LoopFunction, carry: Carry, name: str) -> list[str]:
    definition = function.definition
    assert isinstance(definition, ast.Lambda)
    unit = context.indent_unit_at(definition)
    parameters = [a.arg for a in (*definition.args.posonlyargs, *definition.args.args)]
    inner = parameters[-1]
    if carry.size is None:
        outer = parameters[-1] = whole_name(context, function)
        top = [f"{', '.join([inner, *carry.names])} = {outer}"]
        result = context.text.of(definition.body)
        result = f"({result})" if isinstance(definition.body, ast.NamedExpr) else result
    else:
        top = [f"{n} = {inner}[{carry.start + i}]" for i, n in enumerate(carry.names)]
        result = _flat_result(context, function, definition.body, carry.size)
    top += [line for c in carry.added for line in c.lines({n.id for n in function.captured})]
    start, end = context.text.span(definition)
    lines = [f"def {name}({', '.join(parameters)}):", *(f"{unit}{line}" for line in top)]
    body = context.text.of(definition.body)
    comments = [c for c in context.comments_between(start, end) if c not in body]
    lines += [f"{unit}{comment}" for comment in comments]
    returned = f"{result}, {', '.join(carry.names)}"
    if "\n" in returned or "\r" in returned:
        returned = f"({returned})"
    return [*lines, f"{unit}return {returned}", ""]


def _flat_result(context: FileContext, function: LoopFunction, body: ast.expr, size: int) -> str:
    edits = index_edits(context, function, size)
    start, end = context.text.span(body)
    moved = [Edit(e.start - start, e.end - start, e.replacement) for e in edits]
    text = apply_edits(context.text.text[start:end], moved)
    if isinstance(body, ast.Tuple):
        _check_size(body, size)
        return text[1:-1].strip().rstrip(",").rstrip()
    simple = isinstance(body, ast.Name | ast.Call | ast.Attribute | ast.Subscript)
    return f"*{text}" if simple else f"*({text})"
