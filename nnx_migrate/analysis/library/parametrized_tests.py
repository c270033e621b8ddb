"""What decorators of tests pass for a parameter: those of pytest, and of absl's `parameterized`."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from nnx_migrate.analysis.ir import nodes as ir

#: Decorators of absl that get a case each, and how many elements come before the arguments.
_CASES = {"parameters": 0, "named_parameters": 1}


def passed_by_decorators(function: ir.Function, parameter: ir.Parameter) -> Iterator[ir.Expr]:
    """The values that a test runs with, as they stand in the code around it."""
    if not function.name.startswith("test"):
        return
    for decorator in function.decorators:
        match decorator:
            case ir.Call(func=func) if ir.last_name(func) == "parametrize":
                yield from _by_pytest(decorator, parameter.name)
            case ir.Call(func=ir.Attribute(base=base, name=name)):
                if ir.last_name(base) == "parameterized" and name == "product":
                    yield from _by_product(decorator, parameter.name)
                elif ir.last_name(base) == "parameterized" and name in _CASES:
                    yield from _by_cases(decorator, function, parameter, _CASES[name])


def _by_pytest(decorator: ir.Call, name: str) -> Iterator[ir.Expr]:
    """What `@pytest.mark.parametrize("act, size", [(relu, 1), ...])` passes."""
    match decorator.args:
        case (ir.Constant(text=text), rows):
            names = [each.strip() for each in text.split(",")]
        case (ir.Sequence(parts), rows):
            names = [each.text for each in parts if isinstance(each, ir.Constant)]
        case _:
            return
    by_fixture = any(keyword == "indirect" for keyword, _ in decorator.keywords)
    if name in names and not by_fixture:
        row: ir.Expr = ir.Element(_without_marks(rows))
        yield row if len(names) == 1 else ir.Unpacked(row, names.index(name))


def _without_marks(rows: ir.Expr) -> ir.Expr:
    """The rows of a table in which some stand in `pytest.param(..., id="small")`."""
    if not isinstance(rows, ir.Sequence):
        return rows
    return dataclasses.replace(rows, elements=tuple(map(_without_mark, rows.elements)))


def _without_mark(row: ir.Expr) -> ir.Expr:
    if not isinstance(row, ir.Call) or ir.last_name(row.func) != "param":
        return row
    return row.args[0] if len(row.args) == 1 else ir.Sequence(row.args, True)


def _by_product(decorator: ir.Call, name: str) -> Iterator[ir.Expr]:
    """What `@parameterized.product([{"act": relu}, ...], size=[1, 2])` passes."""
    yield from (ir.Element(values) for keyword, values in decorator.keywords if keyword == name)
    for rows in decorator.args:
        for row in rows.elements if isinstance(rows, ir.Sequence) else (ir.Element(rows),):
            yield from _under_key(row, name)


def _by_cases(
    decorator: ir.Call, function: ir.Function, parameter: ir.Parameter, before: int
) -> Iterator[ir.Expr]:
    """What `@parameterized.parameters((relu, 1), {"act": gelu, "size": 2})` passes."""
    rows = decorator.args
    match rows:
        case (ir.Sequence(elements=elements, is_tuple=False, keyed="no", each=False),):
            rows = elements
        case (ir.Sequence() | ir.Starred() | ir.Call(func=ir.Name("dict")),):
            pass
        case (one,):
            rows = (ir.Element(one),)
    own = 1 if function.owner is not None else 0
    place = function.parameters.index(parameter) - own + before
    for row in rows:
        match row:
            case ir.Sequence(keyed="yes") | ir.Call(func=ir.Name("dict"), args=()):
                yield from _under_key(row, parameter.name)
            case ir.Sequence(elements=elements, is_tuple=True) if place < len(elements):
                yield elements[place]
            case _:
                case_ = ir.Element(row.value) if isinstance(row, ir.Starred) else row
                alone = len(function.parameters) - own == 1 and not before
                yield case_ if alone else ir.Unpacked(case_, place)


def _under_key(row: ir.Expr, name: str) -> Iterator[ir.Expr]:
    """What a case that is a dict passes by a keyword."""
    match row:
        case ir.Sequence(elements=elements, keyed="yes", keys=keys) if keys:
            given = dict(zip(keys, elements, strict=True))
        case ir.Call(func=ir.Name("dict"), args=(), keywords=keywords):
            given = {key or ir.UNPACKED: value for key, value in keywords}
        case _:
            yield ir.Element(row, name)
            return
    if name in given:
        yield given[name]
    elif ir.UNPACKED in given:
        yield ir.Element(row, name)
