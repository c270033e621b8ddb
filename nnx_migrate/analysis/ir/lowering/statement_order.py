"""Where statements bind names, which blocks they stand in, and what the tests over them say.

Which binding reaches a place is told from that by `symbols/reaching_definitions.py`.

Of the branches of an `if`, a test of names says what each has to be where they run.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.parse import children

Blocks = tuple[ir.Block, ...]
#: Whether a statement always binds the name, maybe, or before it ends; or another function does.
_Kind = Literal["sure", "maybe", "early", "moved"]
_LINE_END = 1 << 30
_Needs = tuple[tuple[str, ir.Needed], ...]
_OPPOSITE: Mapping[ir.Needed, ir.Needed] = {
    "true": "false",
    "false": "true",
    "none": "given",
    "given": "none",
    "is false": "is not false",
    "is not false": "is false",
}


class BindingPlace(NamedTuple):
    """Where a name is bound.

    Args:
        node: the statement, or the part of one that has a body of its own.
        blocks: what stands around it.
    """

    node: ast.AST
    blocks: Blocks
    kind: _Kind


def definition(place: BindingPlace, shared: Collection[int]) -> ir.Definition:
    """What is kept of the place of a binding.

    Args:
        shared: lines on which several statements begin.
    """
    node, blocks, kind = place
    first = _start(node)
    early = kind == "early" or first[0] in shared
    return ir.Definition(
        first, _holds_from(node), blocks, kind == "sure", early, moved=kind == "moved"
    )


def _start(node: ast.AST) -> ir.Position:
    return getattr(node, "lineno", 0), getattr(node, "col_offset", 0)


def _behind(node: ast.AST) -> ir.Position:
    return getattr(node, "end_lineno", 0), getattr(node, "end_col_offset", 0)


def _holds_from(node: ast.AST) -> ir.Position:
    """Where a binding is done. A function or a class can be meant below its first line."""
    match node:
        case ast.For(iter=head) | ast.AsyncFor(iter=head) | ast.If(test=head):
            return _behind(head)
        case ast.While(test=head) | ast.Match(subject=head):
            return _behind(head)
        case ast.With(items=[*_, last]) | ast.AsyncWith(items=[*_, last]):
            return _behind(last.optional_vars or last.context_expr)
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() | ast.ExceptHandler():
            return node.lineno, _LINE_END
        case _:
            return _behind(node)


def blocks_of(node: ast.stmt) -> Iterator[tuple[Sequence[ast.AST], ir.Block]]:
    """The parts of a statement that hold others, each with the block that it is."""
    end = _line_behind(node)
    match node:
        case ast.If(test=test, body=body, orelse=orelse):
            middle = _line_behind(body[-1])
            yield body, ir.Block(_behind(test), middle, end)
            yield orelse, ir.Block(middle, end, end)
        case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
            yield from _one_after_the_other(_holds_from(node), (body, orelse))
        case ast.While(body=body, orelse=orelse):
            yield from _one_after_the_other(_holds_from(node), (body, orelse))
        case ast.With(body=body) | ast.AsyncWith(body=body):
            yield body, ir.Block(_holds_from(node), end, end)
        case ast.Try() | ast.TryStar():
            handlers = ([each] for each in node.handlers)
            parts: list[Sequence[ast.AST]] = [node.body, *handlers, node.orelse, node.finalbody]
            yield from _one_after_the_other(_start(node), parts)
        case ast.Match(cases=cases):
            for case in cases:
                last = _line_behind(case.body[-1])
                yield [case], ir.Block(_behind(case.pattern), last, end)


def _one_after_the_other(
    first: ir.Position, parts: Iterable[Sequence[ast.AST]]
) -> Iterator[tuple[Sequence[ast.AST], ir.Block]]:
    for part in parts:
        last = _line_behind(part[-1]) if part else first
        yield part, ir.Block(first, last, last)
        first = last


def loop_block(node: ast.stmt) -> ir.Block:
    """A loop with its head, of which a part may run again."""
    end = _line_behind(node)
    return ir.Block((node.lineno, 0), end, end, again=True)


def _line_behind(node: ast.AST) -> ir.Position:
    """The line below a block: nothing else stands on its last line."""
    return _behind(node)[0] + 1, 0


def certain_removals(body: Sequence[ast.stmt], own: str) -> Iterator[ir.Removal]:
    """The attributes of parts of a method's own object that each run of a body deletes.

    Args:
        own: the name of that object.
    """
    removals = [_removal(statement, own) for statement in body]
    while removals and removals[-1] is None:
        removals.pop()  # what stands below the last one does not matter
    for statement, removal in zip(body, removals, strict=False):
        if removal is not None:
            yield removal
        elif may_leave(statement):
            return


def _removal(statement: ast.stmt, own: str) -> ir.Removal | None:
    match statement:
        case ast.Delete(targets=[ast.Attribute(value=part, attr=name)]):
            first = None
        case ast.For(
            target=ast.Name(id=turn),
            iter=each,
            body=[ast.Delete(targets=[ast.Attribute(value=ast.Name(id=of), attr=name)])],
            orelse=[],
        ) if turn == of != own:
            part, first = _all_or_rest(each)
        case _:
            return None
    path = _path_from(part, own)
    return ir.Removal(path, name, first, statement.lineno) if path else None


def _all_or_rest(parts: ast.expr) -> tuple[ast.expr, int]:
    """A container that a loop goes through, and the first element that it comes to."""
    match parts:
        case ast.Subscript(value=value, slice=ast.Slice(ast.Constant(value=1), None, None)):
            return value, 1
    return parts, 0


def _path_from(part: ast.expr, own: str) -> tuple[str, ...]:
    """The attributes that lead to a part from an object; none where something else does."""
    match part:
        case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == own:
            return (attribute,)
        case ast.Attribute(value=value, attr=attribute) if above := _path_from(value, own):
            return (*above, attribute)
    return ()


def may_leave(node: ast.AST) -> bool:
    """Whether code may leave the function there, other than by an exception."""
    if isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
        return True
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return False
    return any(map(may_leave, children(node)))


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def branches_of(node: ast.If) -> Iterator[ir.Branch]:
    """The branches of a statement, each with what it needs.

    Those that neither are one of two nor need anything are left out.
    """
    test = node.test
    for needs, body in ((_for(test), node.body), (_against(test), node.orelse)):
        # A walrus in the test binds its name on the line of the test.
        apart = body and body[0].lineno > (test.end_lineno or test.lineno)
        if apart and (needs or node.orelse):
            yield ir.Branch(needs, body[0].lineno, _end(body[-1]), node.lineno)


def _for(test: ast.expr) -> _Needs:
    """What has to hold for a test to be true."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            return tuple(need for each in values for need in _for(each))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _against(operand)
        case _:
            return _single(test)


def _against(test: ast.expr) -> _Needs:
    """What has to hold for a test to be false."""
    match test:
        case ast.BoolOp(op=ast.Or(), values=values):
            return tuple(need for each in values for need in _against(each))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _for(operand)
        case _:
            return tuple((name, _OPPOSITE[need]) for name, need in _single(test))


def _single(test: ast.expr) -> _Needs:
    match test:
        case ast.Name(id=name):
            return ((name, "true"),)
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[ast.Constant(value=value)]):
            if value is not None and value is not False:
                return ()
            same: ir.Needed = "none" if value is None else "is false"
            if isinstance(op, ast.Is):
                return ((name, same),)
            return ((name, _OPPOSITE[same]),) if isinstance(op, ast.IsNot) else ()
        case _:
            return ()
