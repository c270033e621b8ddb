"""Where new lines go, and how they are indented, so that they look as if they had been there."""

from __future__ import annotations

import ast
import enum
import io
import re
import tokenize
from collections.abc import Sequence

from nnx_migrate.analysis.sites.tree import AnyFunction, FunctionNode
from nnx_migrate.rewrite.model.causes import LayoutCause
from nnx_migrate.rewrite.model.context import FileContext
from nnx_migrate.rewrite.model.decisions import CannotEmit
from nnx_migrate.rewrite.style.line_width import shown, within_width
from nnx_migrate.rewrite.text.edits import Edit, Text


def first_line(statement: ast.stmt) -> int:
    """The line that a statement begins on, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(d.lineno for d in decorators)])


def insert_before(context: FileContext, statement: ast.stmt, lines: list[str]) -> Edit:
    """Insert statements in front of a statement, at its indentation.

    Raises:
        CannotEmit: there is no place for a statement there (an `elif`).
    """
    line = first_line(statement)
    start = context.text.line_start(line)
    indent = context.text.indent_of_line(line)
    begins = context.text.span(statement)[0] if line == statement.lineno else start + len(indent)
    source = context.text.text
    if isinstance(statement, ast.If) and source.startswith("elif", begins):
        raise CannotEmit(LayoutCause.IN_ELIF)
    if begins == start + len(indent):
        if lines[0].startswith(("def ", "@")) and _follows_code(context, line):
            lines = ["", *lines]
        lines = within_line_width(context, lines, indent)
        text = "".join(
            f"{indent}{new}{context.newline}" if new else context.newline for new in lines
        )
        return Edit(start, start, text)
    if any("\n" in new or new.endswith(":") or new.startswith("@") for new in lines):
        raise CannotEmit(LayoutCause.CALL_BEHIND_CODE)
    return Edit(begins, begins, "".join(f"{new}; " for new in lines if new))


def within_line_width(context: FileContext, lines: list[str], indent: str) -> list[str]:
    """New statements, those that are too long on several lines."""
    unit, width = context.continuation_unit, context.options.width
    return [
        part
        for line in lines
        for part in ([line] if "\n" in line else within_width(line, shown(indent), unit, width))
    ]


def _follows_code(context: FileContext, line: int) -> bool:
    if line == 1:
        return False
    before = context.text.text[context.text.line_start(line - 1) : context.text.line_start(line)]
    above = before.strip()
    return bool(above) and not above.endswith(":") and not above.startswith("#")


class Unhoistable(enum.Enum):
    """Where something stands that cannot be computed before its statement."""

    IN_LAMBDA = "in a lambda"
    IN_COMPREHENSION = "in a comprehension"
    IN_CONDITIONAL = "in a conditional expression"
    BEHIND_OPERATOR = "after `and` or `or`"
    IN_LOOP_CONDITION = "in the condition of a loop"
    IN_HEAD = "in a decorator or a default"
    IN_GUARD = "in a guard"
    IN_CLASS = "in the body of a class"

    def told(self, what: str = "the call") -> str:
        """The same in words."""
        return f"{what} is {self.value}"


def is_hoistable(context: FileContext, node: ast.expr) -> bool:
    """Whether what `node` needs can be computed before its statement."""
    return why_unhoistable(context, node) is None


def why_unhoistable(context: FileContext, node: ast.expr) -> Unhoistable | None:
    """What prevents that what `node` needs is computed before its statement, if anything does."""
    child: ast.AST = node
    for parent in context.tree.ancestors(node):
        if isinstance(parent, ast.Lambda):
            return Unhoistable.IN_LAMBDA
        if isinstance(parent, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            return Unhoistable.IN_COMPREHENSION
        if isinstance(parent, ast.IfExp) and child is not parent.test:
            return Unhoistable.IN_CONDITIONAL
        if isinstance(parent, ast.BoolOp) and child is not parent.values[0]:
            return Unhoistable.BEHIND_OPERATOR
        if isinstance(parent, ast.While) and child is parent.test:
            return Unhoistable.IN_LOOP_CONDITION
        if isinstance(parent, FunctionNode | ast.ClassDef) and child not in parent.body:
            return Unhoistable.IN_HEAD
        if isinstance(parent, ast.match_case):
            return Unhoistable.IN_GUARD
        if isinstance(parent, ast.stmt):
            # A function in the body of a class does not see the names that are bound there.
            in_class = isinstance(context.tree.parents.get(parent), ast.ClassDef)
            return Unhoistable.IN_CLASS if in_class else None
        child = parent
    return None


def check_hoistable(context: FileContext, node: ast.expr) -> None:
    """See that what `node` needs can be computed before its statement.

    Raises:
        CannotEmit: it cannot.
    """
    why = why_unhoistable(context, node)
    if why is not None:
        raise CannotEmit(LayoutCause.NOT_HOISTABLE.about(what=why.told()))


def header_end(text: Text, function: AnyFunction) -> int:
    """The offset right behind the colon that ends a definition's header."""
    assert isinstance(function, FunctionNode)
    start = text.offset(function.lineno, function.col_offset)
    first = text.line_start(function.lineno)
    source = text.readable[first:]
    skip = start - first
    depth = 0
    # The tokenizer of 3.11 wants "\n"; positions on a line are the same for every newline.
    reader = io.StringIO(source, newline="").readline
    lines = Text(source)
    try:
        for token in tokenize.generate_tokens(reader):
            place = lines.line_starts[token.start[0] - 1] + token.start[1]
            if token.type != tokenize.OP or place < skip:
                continue
            if token.string in "([{":
                depth += 1
            elif token.string in ")]}":
                depth -= 1
            elif token.string == ":" and depth == 0:
                return first + place + 1
    except (tokenize.TokenError, IndentationError):
        pass
    raise CannotEmit(LayoutCause.HEADER_END)


def docstring_of(function: AnyFunction) -> ast.stmt | None:
    if not isinstance(function, FunctionNode):
        return None
    first = function.body[0]
    match first:
        case ast.Expr(value=ast.Constant(value=str())):
            return first
        case _:
            return None


def one_line_suite(function: ast.FunctionDef | ast.AsyncFunctionDef, text: Text) -> bool:
    between = text.text[header_end(text, function) : text.span(function.body[0])[0]]
    return not between.replace("\\\r\n", "").replace("\\\n", "").replace("\\\r", "").strip(" \t\f")


def body_indent(context: FileContext, function: AnyFunction) -> str:
    """The indentation of a function's body; for a one-line suite, what it would be."""
    assert isinstance(function, FunctionNode)
    if one_line_suite(function, context.text):
        return context.text.indent_of_line(function.lineno) + context.indent_unit
    return context.text.indent_of_line(first_line(function.body[0]))


def unit_of(context: FileContext, function: AnyFunction) -> str:
    """How far a function's body is indented; some files mix tabs, two and four spaces."""
    assert isinstance(function, FunctionNode)
    outer = context.text.indent_of_line(function.lineno)
    inner = body_indent(context, function)
    return inner.removeprefix(outer) if inner.startswith(outer) else context.indent_unit


def insert_at_top(context: FileContext, function: AnyFunction, lines: list[str]) -> Edit:
    """Insert statements as the first ones of a function, behind its docstring.

    A blank line follows where the function goes on with a definition.
    """
    assert isinstance(function, FunctionNode)
    indent = body_indent(context, function)
    newline = context.newline
    lines = within_line_width(context, lines, indent)
    text = "".join(f"{indent}{line}{newline}" if line else newline for line in lines)
    end = header_end(context.text, function)
    docstring = docstring_of(function)
    if one_line_suite(function, context.text):
        if docstring is not None:
            text = f"{indent}{context.text.of(docstring)}{newline}{text}"
            if len(function.body) == 1:
                return Edit(
                    end, context.text.span(docstring)[1], newline + text.removesuffix(newline)
                )
        begins = context.text.span(function.body[docstring is not None])[0]
        return Edit(end, begins, f"{newline}{text}{indent}")
    after = docstring.end_lineno if docstring is not None else context.text.line_of(end)
    assert after is not None
    if docstring is not None and len(function.body) > 1 and function.body[1].lineno == after:
        raise CannotEmit(LayoutCause.CODE_BESIDE_DOCSTRING)
    place = line_after(context, after)
    if _leads_to_definition(context, function.body[docstring is not None :], after + 1):
        text += newline
    return Edit(place, place, text)


def _leads_to_definition(context: FileContext, body: Sequence[ast.stmt], line: int) -> bool:
    """Whether comments alone, or nothing, stand between a line and a definition."""
    if not body or not isinstance(body[0], FunctionNode | ast.ClassDef):
        return False
    starts = context.text.line_starts
    between = range(line, first_line(body[0]))
    return all(context.text.text[starts[each - 1] : starts[each]].strip() for each in between)


def line_after(context: FileContext, line: int) -> int:
    """The offset where the line below `line` begins, or the end of the text."""
    starts = context.text.line_starts
    return starts[line] if line < len(starts) else len(context.text.text)


def fits(context: FileContext, span: tuple[int, int], replacement: str) -> bool:
    """Whether the line stays short with the replacement in it."""
    line = context.text.line_of(span[0])
    start = context.text.line_start(line)
    rest = context.text.text[span[1] : line_after(context, context.text.line_of(span[1]))]
    return span[0] - start + len(replacement) + len(rest.rstrip()) <= context.options.width


def removed_statement(context: FileContext, statement: ast.stmt) -> Edit:
    """Take a statement out with its lines; comments on them stay."""
    assert statement.end_lineno is not None
    start = context.text.line_start(statement.lineno)
    stop = line_after(context, statement.end_lineno)
    first, last = context.text.span(statement)
    before, after = context.text.text[start:first], context.text.text[last:stop].strip()
    if before.strip() or (after and not after.startswith("#")):
        raise CannotEmit(LayoutCause.POP_BESIDE_CODE)
    indent = context.text.indent_of_line(statement.lineno)
    comments = context.comments_between(start, stop)
    if not context.text.text[start:stop].endswith(("\r", "\n")):  # the last line of the file
        start = len(context.text.text[:start].rstrip("\r\n"))
        return Edit(start, stop, "".join(f"{context.newline}{indent}{each}" for each in comments))
    return Edit(start, stop, "".join(f"{indent}{each}{context.newline}" for each in comments))


def indent_lines(context: FileContext, first: int, last: int, unit: str) -> list[Edit]:
    """Indent lines by one unit; blank lines and lines that begin inside a string stay."""
    edits = []
    for line in range(first, last + 1):
        start, stop = context.text.line_start(line), line_after(context, line)
        if line not in context.string_lines and context.text.text[start:stop].strip():
            edits.append(Edit(start, start, unit))
    return edits


def moved_left(context: FileContext, first: int, last: int, indent: str) -> list[Edit]:
    """Lines that follow one that moves to another indentation keep their distance from it.

    Args:
        first: the line that moves.
        last: the last of those that go with it; lines that begin inside a string stay.
        indent: where it moves to.
    """
    before = context.text.indent_of_line(first)
    edits = []
    for line in range(first + 1, last + 1):
        start = context.text.line_start(line)
        follows = context.text.text.startswith(before, start) and before.startswith(indent)
        if follows and before != indent and line not in context.string_lines:
            edits.append(Edit(start + len(indent), start + len(before), ""))
    return edits


def in_brackets(context: FileContext, body: ast.expr, statement: ast.stmt, unit: str) -> str:
    """An expression of several lines, in brackets on lines of their own.

    Args:
        body: an expression that stands elsewhere in the file.
        statement: a new definition goes in front of it; the expression stands in its body.
    """
    text = context.text.of(body)
    if any(
        isinstance(node, ast.Constant | ast.JoinedStr) and node.lineno != node.end_lineno
        for node in ast.walk(body)
    ):
        return f"({text})"  # what a text of several lines begins with is a part of it
    first, *others = re.split(r"\r\n|\r|\n", text)
    begins = [len(each) - len(each.lstrip()) for each in others if each.strip()]
    column = context.text.span(body)[0] - context.text.line_start(body.lineno)
    # Aligned with the expression, or else with each other.
    outer = column if min(begins, default=0) >= column else min(begins, default=0)
    around = context.text.indent_of_line(first_line(statement)) + unit
    inside = [around + unit + part for part in (first, *(each[outer:] for each in others))]
    lines = ["(", *(each.rstrip() for each in inside), f"{around})"]
    return context.newline.join(lines)
