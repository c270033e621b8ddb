"""What a function sows becomes its second result: `nnx.capture` around it, and its calls unpack."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from nnx_migrate.facts.parsing import parse
from nnx_migrate.facts.sites import Site
from nnx_migrate.facts.syntax import names_in
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.layout import line_after
from nnx_migrate.rewrite.naming import fresh, state_name
from nnx_migrate.rewrite.plan import CannotEmit, CapturedCall, CapturePlan


def capture_edits(context: FileContext, site: Site, plan: CapturePlan, nnx: str) -> list[Edit]:
    """Edits that put the function of a site under capture, and take the pops out.

    Raises:
        CannotEmit: the function is not to be seen.
    """
    variable_type = f"{nnx}.{plan.variable_type}" if plan.of_library else plan.variable_type
    edits = _around_function(context, site, nnx, variable_type)
    taken: set[str] = set()
    for call in plan.calls:
        wanted = state_name(plan.variable_type)
        name = fresh([wanted], context.taken_names(call.use) | taken)[0]
        unpacked = _unpacked(context, call, name)
        if any(name in edit.replacement for edit in unpacked):
            taken.add(name)
        edits += unpacked
    return edits


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


def _unpacked(context: FileContext, call: CapturedCall, name: str) -> list[Edit]:
    """The result of a call is unpacked into what it was and a State, which the pop gave before."""
    taking = context.tree.statement(call.use)
    popping = context.tree.statement(call.pop)
    match popping:
        case ast.Expr(value=value) if value is call.pop:  # what was sown is thrown away
            if isinstance(taking, ast.Expr):
                return [_removed(context, popping)]
            return [*_bound(context, taking, _unread(context, name)), _removed(context, popping)]
        case ast.Assign(targets=[ast.Name(id=own)], value=value) if value is call.pop:
            if not _is_named_between(context, taking, popping, own):
                return [*_bound(context, taking, own), _removed(context, popping)]
    if context.comments_between(*context.text.span(call.pop)):
        raise CannotEmit("a comment stands in the call of nnx.pop")
    return [*_bound(context, taking, name), Edit(*context.text.span(call.pop), name)]


def _bound(context: FileContext, taking: ast.stmt, state: str) -> list[Edit]:
    match taking:
        case ast.Expr(value=value):
            start = context.text.span(value)[0]
            return [Edit(start, start, f"{_unread(context, 'result')}, {state} = ")]
        case ast.Assign(targets=[target]):
            start, end = context.text.span(target)
            edits = [Edit(end, end, f", {state}")]
            if isinstance(target, ast.Tuple) and not _in_parentheses(context, target):
                edits = [Edit(start, start, "("), Edit(end, end, f"), {state}")]
            elif isinstance(target, ast.Starred):
                raise CannotEmit("the result is unpacked into a starred name")
            return edits
        case _:
            raise CannotEmit("the call stands where its result cannot be unpacked")


def _in_parentheses(context: FileContext, target: ast.Tuple) -> bool:
    text = context.text.of(target)
    if not (text.startswith("(") and text.endswith(")")):
        return False
    try:
        parse(f"[{text[1:-1]}\n]")
    except SyntaxError:  # `(a), (b)`
        return False
    return True


def _removed(context: FileContext, statement: ast.stmt) -> Edit:
    """Take a statement out with its lines; comments on them stay."""
    assert statement.end_lineno is not None
    start = context.text.line_start(statement.lineno)
    stop = line_after(context, statement.end_lineno)
    first, last = context.text.span(statement)
    before, after = context.text.text[start:first], context.text.text[last:stop].strip()
    if before.strip() or (after and not after.startswith("#")):
        raise CannotEmit("nnx.pop shares its line with other statements")
    indent = context.text.indent_of_line(statement.lineno)
    comments = context.comments_between(start, stop)
    if not context.text.text[start:stop].endswith(("\r", "\n")):  # the last line of the file
        start = len(context.text.text[:start].rstrip("\r\n"))
        return Edit(start, stop, "".join(f"{context.newline}{indent}{each}" for each in comments))
    return Edit(start, stop, "".join(f"{indent}{each}{context.newline}" for each in comments))


def _is_named_between(context: FileContext, taking: ast.stmt, popping: ast.stmt, name: str) -> bool:
    """Whether the name means something else yet where the call stands."""
    block = context.tree.block_of(taking)
    earlier: Iterable[ast.stmt] = block[block.index(taking) : block.index(popping)]
    return any(name in names_in(each) for each in earlier)


def _unread(context: FileContext, otherwise: str) -> str:
    """A name for what nothing reads: `_`, unless that means something in the file."""
    read = any(
        isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Load)
        for node in context.tree.nodes
    )
    return fresh([otherwise], names_in(context.tree.root))[0] if read else "_"
