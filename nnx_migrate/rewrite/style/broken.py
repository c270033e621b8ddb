"""Statements, once an edit has made a line of them longer than those of the file.

    loss, grads = nnx.value_and_grad(loss_fn_of_state, has_aux=True)(params, nondiff, batch)

becomes, where the formatter is told 80:

    loss, grads = nnx.value_and_grad(loss_fn_of_state, has_aux=True)(
        params, nondiff, batch
    )

A line that holds all that stands in brackets has a line for each argument then, and one that holds
an element of what stands in them is broken in the last brackets of that element.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.style.layout import header_end, line_after
from nnx_migrate.rewrite.style.line_width import one_by_one, shown, within_width
from nnx_migrate.rewrite.text.edits import Edit

_WRITTEN = frozenset(
    {Outcome.REWRITTEN, Outcome.REWRITTEN_CHECKED, Outcome.PINNED, Outcome.PINNED_MID}
)
_BROKEN = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return)


def broken(
    context: FileContext,
    written: Iterable[tuple[int, int, tuple[Finding, ...]]],
    was_long: Callable[[int], bool],
) -> dict[Edit, tuple[Finding, ...]]:
    """The edits that break such statements in their last brackets, with the findings that they
    are for.

    Pins that set the mode for a function have broken their own lines where they could, in the shape
    that later runs know them by.

    Args:
        written: the spans of the text that edits have written, or taken out.
        was_long: whether the line that became this one was too long already.
    """
    spans = [each for each in written if any(f.outcome in _WRITTEN for f in each[2])]
    edits: dict[Edit, tuple[Finding, ...]] = {}
    statements = [each for kind in _BROKEN for each in context.tree.of_kind(kind) if spans]
    for statement in statements:
        for line in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1):
            start, stop = context.text.line_start(line), line_after(context, line)
            touching = [each for each in spans if start <= each[0] and each[1] <= stop]
            if not touching or was_long(line):
                continue
            alone = statement.lineno == statement.end_lineno
            new = _breaks(context, statement) if alone else _within(context, line)
            findings = tuple(dict.fromkeys(f for each in touching for f in each[2]))
            edits |= dict.fromkeys(new, findings)
    for function in context.tree.of_kind(ast.FunctionDef) if spans else ():
        start, stop = _line(context, function.lineno)
        touching = [each for each in spans if start <= each[0] and each[1] <= stop]
        if touching and not was_long(function.lineno):
            findings = tuple(dict.fromkeys(f for each in touching for f in each[2]))
            edits |= dict.fromkeys(_header(context, function), findings)
    return edits


def _line(context: FileContext, line: int) -> tuple[int, int]:
    return context.text.line_start(line), line_after(context, line)


def _header(context: FileContext, function: ast.FunctionDef) -> list[Edit]:
    """The head of a function, where all of it stands on a line, and nothing else."""
    start, stop = _line(context, function.lineno)
    code = context.text.text[start:stop].strip()
    if "#" in code or header_end(context.text, function) != start + len(
        context.text.text[start:stop].rstrip()
    ):
        return []
    indent = context.text.indent_of_line(function.lineno)
    width = context.options.width
    parts = within_width(code, shown(indent), context.continuation_unit, width)
    if len(parts) == 1 or any(shown(indent + each) > width for each in parts):
        return []
    begin = start + len(indent)
    new = context.newline.join([parts[0], *(indent + each for each in parts[1:])])
    return [Edit(begin, begin + len(code), new)]


def _within(context: FileContext, line: int) -> list[Edit]:
    """What breaks a line of a statement that stands on several."""
    return (
        _in_brackets(context, line)
        or _in_element(context, line)
        or _with_its_closing(context, line)
    )


def _in_element(context: FileContext, line: int) -> list[Edit]:
    """The last brackets of an element, with its comma behind it, that stands alone on a line."""
    text, width = context.text, context.options.width
    start, stop = text.line_start(line), line_after(context, line)
    indent = text.indent_of_line(line)
    code = text.text[start:stop].strip()
    above = text.text[text.line_start(line - 1) : start].rstrip()
    if shown(indent + code) <= width or "#" in code or not code.endswith(","):
        return []
    if not above.endswith(("(", "[", "{", ",")) or not _is_element(code):
        return []
    unit = context.continuation_unit
    parts = within_width(code[:-1], shown(indent), unit, width, displays=True)
    parts[-1] += ","
    if len(parts) == 1 or any(shown(indent + each) > width for each in parts):
        return []
    lines = context.newline.join(indent + each for each in parts)
    return [Edit(start, start + len(indent) + len(code), lines)]


def _is_element(code: str) -> bool:
    """Whether it is all of an argument of a call, of an item of a dict, or of a list."""
    for opening, closing in (("f(", ")"), ("{", "}")):
        try:
            whole = ast.parse(f"{opening}{code}{closing}", mode="eval").body
        except SyntaxError:
            continue
        match whole:
            case ast.Call(args=[_], keywords=[]) | ast.Call(args=[], keywords=[_]):
                return True
            case ast.Dict(values=[_]):
                return True
    return False


def _in_brackets(context: FileContext, line: int) -> list[Edit]:
    """A line for each of the arguments that stand alone on one."""
    text, width = context.text, context.options.width
    start, stop = text.line_start(line), line_after(context, line)
    indent = text.indent_of_line(line)
    inner = text.text[start:stop].strip()
    above = text.text[text.line_start(line - 1) : start].rstrip()
    below = text.text[stop : line_after(context, line + 1)].lstrip()
    if shown(indent + inner) <= width or "#" in inner:
        return []
    if not above.endswith(("(", "[", "{")) or not below.startswith((")", "]", "}")):
        return []
    parts = one_by_one(inner)
    if len(parts) == 1 or any(shown(indent + each) > width for each in parts):
        return []
    lines = context.newline.join(indent + each for each in parts)
    return [Edit(start, start + len(indent) + len(inner), lines)]


def _with_its_closing(context: FileContext, line: int) -> list[Edit]:
    """A line for each of the arguments that stand on one, the last with the brackets behind it.

    return nnx.cached_partial(
        train_step, model, optimizer)
    """
    text, width = context.text, context.options.width
    start, stop = text.line_start(line), line_after(context, line)
    indent = text.indent_of_line(line)
    code = text.text[start:stop].strip()
    above = text.text[text.line_start(line - 1) : start].rstrip()
    if shown(indent + code) <= width or "#" in code or not above.endswith(("(", "[", "{")):
        return []
    inner = next((code[:end] for end in _closings(code) if _are_arguments(code[:end])), "")
    parts = one_by_one(inner) if inner else []
    if len(parts) < 2:
        return []
    parts[-1] = parts[-1].removesuffix(",") + code[len(inner) :]
    if any(shown(indent + each) > width for each in parts):
        return []
    lines = context.newline.join(indent + each for each in parts)
    return [Edit(start, start + len(indent) + len(code), lines)]


def _closings(code: str) -> range:
    """Where the brackets begin that a line ends with, the last one first."""
    first = len(code.rstrip(")]}"))
    return range(len(code) - 1, first - 1, -1)


def _are_arguments(code: str) -> bool:
    try:
        ast.parse(f"f({code})", mode="eval")
    except SyntaxError:
        return False
    return True


def _breaks(context: FileContext, statement: ast.stmt) -> list[Edit]:
    start = context.text.line_start(statement.lineno)
    stop = line_after(context, statement.lineno)
    line = context.text.text[start:stop].rstrip()
    indent = context.text.indent_of_line(statement.lineno)
    code, end = line[len(indent) :], context.text.span(statement)[1]
    if context.text.span(statement) != (start + len(indent), start + len(line)):
        return []  # something else stands in the line
    width = context.options.width
    parts = within_width(code, shown(indent), context.continuation_unit, width)
    if len(parts) == 1 or any(shown(indent + each) > width for each in parts):
        return []
    return [Edit(start, end, context.newline.join(indent + each for each in parts))]
