"""What the order of statements, and the tests that stand over them, say of names.

A notebook binds the same names in cell after cell. What such a name means at a line of the body of
a module is what the last of these statements above the line has bound it to.

Of the branches of an `if`, a test of names says what each has to be where they run.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.parse import children

_Needs = tuple[tuple[str, ir.Needed], ...]
_OPPOSITE: Mapping[ir.Needed, ir.Needed] = {
    "true": "false",
    "false": "true",
    "none": "given",
    "given": "none",
    "is false": "is not false",
    "is not false": "is false",
}


def binding_order(
    body: Sequence[ast.stmt], bindings: Mapping[str, Sequence[ir.Expr]]
) -> dict[str, tuple[int, ...]]:
    """The lines below which each binding of a name holds, for names that are bound several times.

    A function or a class can be meant below its first line, all else below its statement.

    Args:
        body: the statements of a module.
        bindings: all that its names are bound to, anywhere in it.

    Returns:
        Nothing of names that some of it binds in a block, in a function, or in another way.
    """
    again = {name for name, values in bindings.items() if len(values) > 1}
    if not again:
        return {}
    found: dict[str, list[int]] = defaultdict(list)
    for above, statement, below in zip((None, *body[:-1]), body, (*body[1:], None), strict=True):
        if _share_a_line(above, statement) or _share_a_line(statement, below):
            continue
        for name, line in _bound(statement):
            if name in again:
                found[name].append(line)
    return {name: tuple(ls) for name, ls in found.items() if len(ls) == len(bindings[name])}


def settled_bindings(body: Sequence[ast.stmt]) -> dict[str, tuple[tuple[int, int], ...]]:
    """The assignments to names that each run of a body makes, by their first and last lines.

    Below one of these a name means nothing that it was bound to above.
    """
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for statement in body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                parts = target.elts if isinstance(target, ast.Tuple | ast.List) else (target,)
                for each in parts:
                    if isinstance(each, ast.Name):
                        found[each.id].append((statement.lineno, _end(statement)))
    return {name: tuple(lines) for name, lines in found.items()}


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


def _share_a_line(one: ast.stmt | None, other: ast.stmt | None) -> bool:
    return one is not None and other is not None and _end(one) == other.lineno


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _bound(statement: ast.stmt) -> Iterator[tuple[str, int]]:
    match statement:
        case ast.Assign(targets=targets):
            yield from (
                (each.id, _end(statement)) for each in targets if isinstance(each, ast.Name)
            )
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr()):
            yield name, _end(statement)
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, statement.lineno
        case ast.ImportFrom(names=names):
            yield from ((alias.asname or alias.name, _end(statement)) for alias in names)


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
