"""Definitions that keep their signature: the Module is split inside, around a nested function.

    @nnx.vmap(in_axes=(axes, 0))          def forward(model, x):
    def forward(model, x):          ->        graphdef, params, rest = nnx.split(model, ...)
        return model(x)
                                              @nnx.vmap(in_axes=(0, None, 0))
                                              def forward_of_state(params, rest, x):
                                                  model = nnx.merge(graphdef, params, rest)
                                                  return model(x)

                                              return forward_of_state(params, rest, x)
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nnx_migrate.facts.syntax import FunctionNode
from nnx_migrate.rewrite.arguments import NamedSplit, positional_names, replaced_slots
from nnx_migrate.rewrite.context import FileContext
from nnx_migrate.rewrite.edits import Edit
from nnx_migrate.rewrite.layout import (
    docstring_of,
    header_end,
    indent_lines,
    line_after,
    one_line_suite,
)
from nnx_migrate.rewrite.plan import CannotEmit

Definition = ast.FunctionDef | ast.AsyncFunctionDef


def nested_definition(
    context: FileContext,
    definition: Definition,
    decorator: ast.expr,
    splits: Sequence[NamedSplit],
    nnx: str,
    inner_name: str,
    return_filters: Sequence[str],
    moves_return_annotation: bool,
) -> list[Edit]:
    """Edits that put the decorated function inside an undecorated one of the same signature.

    Args:
        decorator: the transform's own decorator; it and those below it go inside.
        return_filters: filters to split what the function returns by.
        moves_return_annotation: the annotation tells of the inner function (gradients).

    Raises:
        CannotEmit: the function cannot be nested (async, generator, zero-argument super()).
    """
    _check(definition)
    text, newline, unit = context.text, context.newline, context.indent_unit
    end = header_end(text, definition)
    start = text.span(definition)[0]
    indent = text.indent_of_line(definition.lineno)
    inner, call = _inner_arguments(definition, splits)
    begin_line = decorator.lineno
    outer = [_outer_header(context, definition, start, end, moves_return_annotation)]
    docstring = docstring_of(definition)
    one_line = one_line_suite(definition, text)
    if docstring is not None and not one_line:
        outer.append(indent + unit + text.of(docstring).lstrip())
    for named, name in zip(splits, _split_parameters(definition, splits), strict=True):
        outer.append(f"{indent}{unit}{named.statement(nnx, name)}")
    if splits or docstring is not None:
        outer.append("")
    edits = [Edit(*[text.line_start(begin_line)] * 2, newline.join(outer) + newline)]
    annotation = _return_annotation(context, definition) if moves_return_annotation else ""
    header = f"def {inner_name}({', '.join(inner)}){annotation}:"
    edits.append(Edit(start, end, header))
    merges = [
        f"{name} = {named.merged(nnx)}"
        for named, name in zip(splits, _split_parameters(definition, splits), strict=True)
    ]
    last = definition.end_lineno
    assert last is not None
    edits += indent_lines(context, begin_line, definition.lineno, unit)
    deeper = indent + unit + unit
    if one_line:
        body = text.span(definition.body[0])[0]
        merged = "".join(f"{newline}{deeper}{merge}" for merge in merges)
        edits.append(Edit(end, body, f"{merged}{newline}{deeper}"))
    else:
        edits += _body(context, definition, docstring, end, merges, deeper)
    edits += _returns(context, definition, nnx, return_filters)
    result = f"{inner_name}({', '.join(call)})"
    if return_filters:
        result = f"{nnx}.merge(*{result})"
    closing = f"{newline}{indent}{unit}return {result}{newline}"
    place = line_after(context, last)
    if not text.text[:place].endswith(("\n", "\r")):
        closing = newline + closing.removesuffix(newline)
    edits.append(Edit(place, place, closing))
    return edits


def _check(definition: Definition) -> None:
    if isinstance(definition, ast.AsyncFunctionDef):
        raise CannotEmit("the function is async")
    for node in ast.walk(definition):
        if isinstance(node, ast.Yield | ast.YieldFrom):
            raise CannotEmit("the function is a generator")
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "super"
            and not node.args
        ):
            raise CannotEmit("the method uses super()")


def _outer_header(
    context: FileContext, definition: Definition, start: int, end: int, drop_annotation: bool
) -> str:
    indent = context.text.indent_of_line(definition.lineno)
    if drop_annotation and definition.returns is not None:
        close = _arrow(context, definition)
        return f"{indent}{context.text.text[start:close].rstrip()}:"
    return indent + context.text.text[start:end]


def _arrow(context: FileContext, definition: Definition) -> int:
    assert definition.returns is not None
    before = context.text.span(definition.returns)[0]
    return context.text.text.rindex("->", 0, before)


def _return_annotation(context: FileContext, definition: Definition) -> str:
    return "" if definition.returns is None else f" -> {context.text.of(definition.returns)}"


def _split_parameters(definition: Definition, splits: Sequence[NamedSplit]) -> list[str]:
    names = positional_names(definition)
    found = []
    for named in splits:
        if named.split.index >= len(names):
            raise CannotEmit("the Module is not a positional parameter of the function")
        found.append(names[named.split.index])
    return found


def _inner_arguments(
    definition: Definition, splits: Sequence[NamedSplit]
) -> tuple[list[str], list[str]]:
    """Parameters of the inner function, and what it is called with."""
    slots = replaced_slots(splits) if splits else {}
    names = positional_names(definition)
    inner: list[str] = []
    for place, name in enumerate(names):
        inner += slots.get(place, [name])
    call = list(inner)
    args = definition.args
    if args.vararg:
        inner.append(f"*{args.vararg.arg}")
        call.append(f"*{args.vararg.arg}")
    elif args.kwonlyargs:
        inner.append("*")
    for arg in args.kwonlyargs:
        inner.append(arg.arg)
        call.append(f"{arg.arg}={arg.arg}")
    if args.kwarg:
        inner.append(f"**{args.kwarg.arg}")
        call.append(f"**{args.kwarg.arg}")
    return inner, call


def _body(
    context: FileContext,
    definition: Definition,
    docstring: ast.stmt | None,
    end: int,
    merges: list[str],
    indent: str,
) -> list[Edit]:
    text, newline = context.text, context.newline
    header_line = text.line_of(end)
    edits: list[Edit] = []
    first = header_line + 1
    if docstring is not None:
        assert docstring.end_lineno is not None
        after = docstring.end_lineno
        if len(definition.body) > 1 and definition.body[1].lineno == after:
            raise CannotEmit("code stands on the line of the docstring")
        stop = line_after(context, after)
        while after < len(text.line_starts) and not text.text[stop : line_after(context, after + 1)].strip():
            after += 1  # blank lines behind the docstring go with it
            stop = line_after(context, after)
            if stop >= len(text.text):
                break
        edits.append(Edit(text.line_start(docstring.lineno), stop, ""))
        if docstring.lineno > first:
            edits += indent_lines(context, first, docstring.lineno - 1, context.indent_unit)
        first = after + 1
    place = text.line_start(first)
    lines = "".join(f"{indent}{merge}{newline}" for merge in merges)
    if lines:
        edits.append(Edit(place, place, lines))
    assert definition.end_lineno is not None
    edits += indent_lines(context, first, definition.end_lineno, context.indent_unit)
    return edits


def _returns(
    context: FileContext, definition: Definition, nnx: str, filters: Sequence[str]
) -> list[Edit]:
    if not filters:
        return []
    edits = []
    for node in _own_returns(definition):
        if node.value is None:
            raise CannotEmit("the function returns nothing on one of its ways")
        start, stop = context.text.span(node.value)
        edits.append(Edit(start, start, f"{nnx}.split("))
        edits.append(Edit(stop, stop, f", {', '.join(filters)})"))
    if not edits:
        raise CannotEmit("the function has no return statement")
    return edits


def _own_returns(definition: Definition) -> list[ast.Return]:
    found: list[ast.Return] = []
    stack: list[ast.AST] = list(definition.body)
    while stack:
        node = stack.pop()
        if isinstance(node, ast.Return):
            found.append(node)
        elif not isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            stack += ast.iter_child_nodes(node)
    return found
