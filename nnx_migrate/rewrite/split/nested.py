"""Definitions that keep their signature while their transform goes to a function over States.

Nested, the transform is applied on every call, as it was when the decorated function stood inside
another one; that is right for all transforms that keep nothing:

    def forward(model, x):
        graphdef, params, rest = nnx.split(model, nnx.Param, ...)

        @nnx.vmap(in_axes=(0, None, 0))
        def forward_of_state(params, rest, x):
            model = nnx.merge(graphdef, params, rest)
            return model(x)

        return forward_of_state(params, rest, x)

Beside each other, for transforms that keep what they compiled for a function (`jit`, `pmap`): the
decorated function stays where it is under a new name, takes the graphdef too, and one that calls it
takes its old name.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.rewrite.model.causes import SplitCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit, ReturnSplit
from nnx_migrate.rewrite.split.signature import Rewiring
from nnx_migrate.rewrite.style.evaluation_order import changes_no_structure
from nnx_migrate.rewrite.style.layout import (
    body_indent,
    docstring_of,
    header_end,
    indent_lines,
    insert_at_top,
    line_after,
    one_line_suite,
    unit_of,
    within_line_width,
)
from nnx_migrate.rewrite.style.naming import fresh
from nnx_migrate.rewrite.text.edits import Edit

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def nested_definition(
    context: FileContext,
    definition: Definition,
    decorator: ast.expr,
    wiring: Rewiring,
    inner_name: str,
    *,
    moves_return_annotation: bool,
) -> list[Edit]:
    """Edits that put the decorated function inside an undecorated one of the same signature.

    Args:
        decorator: the transform's own decorator; it and those below it go inside.
        moves_return_annotation: the annotation tells of the inner function (gradients).

    Raises:
        CannotEmit: the function cannot be nested (async, generator, zero-argument super()).
    """
    _check(definition)
    text, newline, unit = context.text, context.newline, unit_of(context, definition)
    end = header_end(text, definition)
    start = text.span(definition)[0]
    indent = text.indent_of_line(definition.lineno)
    one_line = one_line_suite(definition, text)
    outer = [_outer_header(context, definition, start, end, moves_return_annotation)]
    docstring = docstring_of(definition)
    if docstring is not None and not one_line:
        outer.append(indent + unit + text.of(docstring))
    outer += [f"{indent}{unit}{line}" for line in wiring.splits]
    if len(outer) > 1:
        outer.append("")
    place = text.line_start(decorator.lineno)
    edits = [Edit(place, place, newline.join(outer) + newline)]
    annotation = _return_annotation(context, definition) if moves_return_annotation else ""
    header = f"def {inner_name}({', '.join(wiring.parameters)}){annotation}:"
    edits.append(Edit(start, end, header))
    edits += indent_lines(context, decorator.lineno, definition.lineno, unit)
    deeper = indent + unit + unit
    if one_line:
        body = text.span(definition.body[0])[0]
        top = "".join(f"{newline}{deeper}{line}" for line in wiring.top)
        edits.append(Edit(end, body, f"{top}{newline}{deeper}"))
    else:
        edits += _body(context, definition, docstring, end, wiring.top, deeper)
    edits += return_edits(context, definition, wiring)
    closing = ["", *(f"{indent}{unit}{line}" for line in wiring.closing(inner_name))]
    edits.append(_append_below(context, definition, closing))
    return edits


def sibling_definition(
    context: FileContext, definition: Definition, decorator: ast.expr, wiring: Rewiring, name: str
) -> list[Edit]:
    """Edits that rename the decorated function and put one with its old name and signature below.

    Raises:
        CannotEmit: it is a method, async or a generator, or its decorators cannot be divided.
    """
    _check(definition)
    if context.tree.class_around(definition) is not None:
        raise CannotEmit(SplitCause.METHOD_KEPT_WITH_CLASS)
    text, unit = context.text, unit_of(context, definition)
    end = header_end(text, definition)
    start = text.span(definition)[0]
    indent = text.indent_of_line(definition.lineno)
    header = text.text[start:end]
    annotation = _return_annotation(context, definition) if not wiring.returns else ""
    edits = [Edit(start, end, f"def {name}({', '.join(wiring.parameters)}){annotation}:")]
    outer_decorators = definition.decorator_list[: definition.decorator_list.index(decorator)]
    lines: list[str] = [""] if indent else ["", ""]
    if outer_decorators:
        first = text.line_start(outer_decorators[0].lineno)
        stop = text.line_start(decorator.lineno)
        edits.append(Edit(first, stop, ""))
        lines += text.text[first:stop].splitlines()
    lines.append(indent + header)
    docstring = docstring_of(definition)
    if docstring is not None:
        lines.append(indent + unit + text.of(docstring))
        edits.append(_docstring_removal(context, definition, docstring))
    lines += [f"{indent}{unit}{line}" for line in (*wiring.splits, *wiring.closing(name))]
    if wiring.top:
        edits.append(insert_at_top(context, definition, list(wiring.top)))
    edits += return_edits(context, definition, wiring)
    edits.append(_append_below(context, definition, lines))
    return [e for e in edits if e.start != e.end or e.replacement]


def _docstring_removal(context: FileContext, definition: Definition, docstring: ast.stmt) -> Edit:
    if len(definition.body) == 1 or one_line_suite(definition, context.text):
        raise CannotEmit(SplitCause.ONLY_DOCSTRING)
    assert docstring.end_lineno is not None
    stop = line_after(context, docstring.end_lineno)
    return Edit(context.text.line_start(docstring.lineno), stop, "")


def _check(definition: Definition) -> None:
    if isinstance(definition, ast.AsyncFunctionDef):
        raise CannotEmit(SplitCause.IS_ASYNC)
    for node in ast.walk(definition):
        if isinstance(node, ast.Yield | ast.YieldFrom):
            raise CannotEmit(SplitCause.IS_GENERATOR)
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
        ):
            raise CannotEmit(SplitCause.USES_SUPER)


def _outer_header(
    context: FileContext, definition: Definition, start: int, end: int, drop_annotation: bool
) -> str:
    indent = context.text.indent_of_line(definition.lineno)
    if drop_annotation and definition.returns is not None:
        before = context.text.span(definition.returns)[0]
        arrow = context.text.text.rindex("->", 0, before)
        return f"{indent}{context.text.text[start:arrow].rstrip()}:"
    return indent + context.text.text[start:end]


def _return_annotation(context: FileContext, definition: Definition) -> str:
    return "" if definition.returns is None else f" -> {context.text.of(definition.returns)}"


def _append_below(context: FileContext, definition: Definition, lines: list[str]) -> Edit:
    assert definition.end_lineno is not None
    place = line_after(context, definition.end_lineno)
    block = context.newline.join(lines)
    if context.text.text[:place].endswith(("\n", "\r")):
        return Edit(place, place, block + context.newline)
    return Edit(place, place, context.newline + block)


def _body(
    context: FileContext,
    definition: Definition,
    docstring: ast.stmt | None,
    end: int,
    top: tuple[str, ...],
    indent: str,
) -> list[Edit]:
    text, newline = context.text, context.newline
    first = text.line_of(end) + 1
    edits: list[Edit] = []
    if docstring is not None:
        assert docstring.end_lineno is not None
        after = docstring.end_lineno
        if len(definition.body) > 1 and definition.body[1].lineno == after:
            raise CannotEmit(SplitCause.CODE_BESIDE_DOCSTRING)
        if docstring.lineno > first:
            edits += indent_lines(
                context, first, docstring.lineno - 1, unit_of(context, definition)
            )
        while _is_blank(context, after + 1):
            after += 1  # blank lines behind the docstring go with it
        edits.append(Edit(text.line_start(docstring.lineno), line_after(context, after), ""))
        first = after + 1
    lines = "".join(f"{indent}{line}{newline}" for line in top)
    if lines:
        place = text.line_start(first)
        edits.append(Edit(place, place, lines))
    assert definition.end_lineno is not None
    edits += indent_lines(context, first, definition.end_lineno, unit_of(context, definition))
    return edits


def _is_blank(context: FileContext, line: int) -> bool:
    if line >= len(context.text.line_starts):
        return False
    return not context.text.text[context.text.line_start(line) : line_after(context, line)].strip()


def return_edits(context: FileContext, definition: Definition, wiring: Rewiring) -> list[Edit]:
    """Edits to every return statement: results are split, carried States join the carry, checks
    stand before it."""
    if wiring.checks:
        deeper = unit_of(context, definition)
        return checked_return(context, definition, wiring.checks, wiring.result, deeper)
    if not wiring.returns and wiring.carry is None:
        return []
    edits: list[Edit] = []
    found = own_returns(definition)
    if not found or any(node.value is None for node in found):
        raise CannotEmit(SplitCause.NOT_ALL_RETURN)
    for node in found:
        assert node.value is not None
        if wiring.carry is not None:
            edits.append(_carry_return(context, node.value, wiring))
        else:
            for split in wiring.returns:
                edits += _split_return(context, node.value, split, wiring.nnx)
    return edits


def checked_return(
    context: FileContext,
    definition: Definition,
    checks: Sequence[str],
    result: str,
    deeper: str = "",
) -> list[Edit]:
    """The result gets a name, and is returned behind the checks, where it is more than read.

    Args:
        deeper: what is put in front of the lines of the function by another edit.
    """
    if not own_returns(definition):
        return [_below_the_body(context, definition, checks)]
    last = last_return(definition)
    if last is None or last.value is None or one_line_suite(definition, context.text):
        raise CannotEmit(SplitCause.NOT_ALL_RETURN)
    begin, stop = context.text.span(last)
    word = begin + len("return")
    # A comment behind the value is about that, and stays there.
    rest = context.text.text[stop : line_after(context, context.text.line_of(stop))].rstrip()
    beside = context.text.text[context.text.line_start(last.lineno) : begin]
    if beside.strip() or rest.strip().partition("#")[0]:
        raise CannotEmit(SplitCause.CODE_BESIDE_RETURN)
    indent = context.text.indent_of_line(last.lineno) + deeper
    checks = within_line_width(context, list(checks), indent)
    between = context.newline + indent
    if changes_no_structure(context, last.value):
        return [Edit(begin, begin, "".join(f"{line}{between}" for line in checks))]
    behind = "".join(f"{between}{line}" for line in (*checks, f"return {result}"))
    gap = "" if context.text.text[word].isspace() else " "
    end = stop + len(rest)
    return [Edit(begin, word, f"{result} ={gap}"), Edit(end, end, behind)]


def _below_the_body(context: FileContext, definition: Definition, checks: Sequence[str]) -> Edit:
    if one_line_suite(definition, context.text):
        raise CannotEmit(SplitCause.NOT_ALL_RETURN)
    _check(definition)
    indent = body_indent(context, definition)
    return _append_below(context, definition, [f"{indent}{line}" for line in checks])


def last_return(definition: Definition) -> ast.Return | None:
    """The only return of a function, where it is its last statement."""
    match own_returns(definition), definition.body[-1]:
        case [ast.Return() as only], last if only is last:
            return only
        case _:
            return None


def _split_return(
    context: FileContext, value: ast.expr, split: ReturnSplit, nnx: str
) -> list[Edit]:
    target = value
    if split.place is not None:
        starred = isinstance(value, ast.Tuple) and any(
            isinstance(e, ast.Starred) for e in value.elts
        )
        if not isinstance(value, ast.Tuple) or starred or split.place >= len(value.elts):
            raise CannotEmit(SplitCause.RESULT_NO_TUPLE)
        target = value.elts[split.place]
    start, stop = context.text.span(target)
    filters = ", ".join(split.filters)
    return [Edit(start, start, f"{nnx}.split("), Edit(stop, stop, f", {filters})")]


def _carry_return(context: FileContext, value: ast.expr, wiring: Rewiring) -> Edit:
    text = context.text.of(value)
    first = second = None
    if isinstance(value, ast.Tuple):
        if not text.startswith("("):
            text = f"({text})"
        if len(value.elts) == 2 and not any(isinstance(e, ast.Starred) for e in value.elts):
            first, second = (context.text.of(e) for e in value.elts)
    return Edit(*context.text.span(value), wiring.returned(text, first, second))


def result_names(function: AnyFunction, taken: set[str]) -> list[str]:
    """A name for each element of the tuple that is returned; none when they are not known."""
    values: Sequence[ast.expr | None] = (
        [function.body]
        if isinstance(function, ast.Lambda)
        else [node.value for node in own_returns(function)]
    )
    tuples = [v.elts for v in values if isinstance(v, ast.Tuple)]
    if not tuples or len(tuples) != len(values) or len({len(t) for t in tuples}) != 1:
        return []
    names = [
        e.id if isinstance(e, ast.Name) else f"result{place}" for place, e in enumerate(tuples[0])
    ]
    parameters = {arg.arg for arg in ast.walk(function.args) if isinstance(arg, ast.arg)}
    return names if not set(names) & parameters else fresh(names, taken, "returned")


def own_returns(definition: Definition) -> list[ast.Return]:
    found: list[ast.Return] = []
    stack: list[ast.AST] = list(definition.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return):
            found.append(node)
        elif not isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            stack += ast.iter_child_nodes(node)
    return found
