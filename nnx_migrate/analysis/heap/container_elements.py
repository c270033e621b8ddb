"""What is put into a container that a name is bound to, beside what it is made of."""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.ir import nodes as ir

_EMPTY_DICT = ir.Sequence((), is_tuple=False, keyed="yes")
#: What a name is bound to, and on which line.
Bound = tuple[ir.Expr, int]


def told_apart(
    function: ir.Function, name: str, bound: Iterable[Bound]
) -> tuple[list[Bound], list[Bound]]:
    """What a name is bound to, one or the other, and what is put into that, all of it."""
    put = collections.Counter(_put_into(function, name))
    made, grown = [], []
    for expr, line in bound:
        if isinstance(expr, ir.Computed) and ir.Name(name) in expr.operands:  # xs += [..]
            grown += [(each, line) for each in expr.operands if each != ir.Name(name)]
        elif isinstance(expr, ir.Sequence) and ir.Starred(ir.Name(name)) in expr.elements:
            others = [each != ir.Starred(ir.Name(name)) for each in expr.elements]
            rest = tuple(itertools.compress(expr.elements, others))
            keys = tuple(itertools.compress(expr.keys, others))
            added = dataclasses.replace(expr, elements=rest, keys=keys)
            grown.append((added, line))  # xs = [*xs, v], {**xs, "a": v}
        elif isinstance(expr, ir.Sequence) and put[frozenset(expr.elements)]:
            put[frozenset(expr.elements)] -= 1
            grown.append((expr, line))
        else:
            made.append((expr, line))
    return made, grown


def _put_into(function: ir.Function, name: str) -> Iterator[frozenset[ir.Expr]]:
    for call in function.calls:
        if isinstance(call.func, ir.Attribute) and call.func.base == ir.Name(name):
            yield frozenset(call.args)  # xs.append(v)
            if len(call.args) > 1:
                yield frozenset(call.args[1:])  # xs.insert(i, v)
            yield frozenset(map(ir.Starred, call.args))  # xs.extend(vs)
    for write in function.writes:
        if write.how == "key" and write.target == ir.Name(name) and write.value is not None:
            yield frozenset({write.value})


def are_under_keys(exprs: Iterable[ir.Expr]) -> bool:
    """Whether it is known of all that expressions put into a dict under which literal that is."""
    return all(
        each == _EMPTY_DICT
        or (isinstance(each, ir.Sequence) and bool(each.keys) and ir.UNPACKED not in each.keys)
        for each in map(_bare, exprs)
    )


def has_places(expr: ir.Expr) -> bool:
    """Whether each element of a display is under a literal, or at a place."""
    bare = _bare(expr)
    listed = isinstance(bare, ir.Sequence) and bare.keyed == "no" and not bare.each
    return listed or are_under_keys([bare])


def _bare(expr: ir.Expr) -> ir.Expr:
    """A value with no word of its annotation, or of the function that it stands in."""
    match expr:
        case ir.Call(func=ir.ANNOTATED, args=(_, value)) | ir.Within(expr=value):
            return _bare(value)
        case _:
            return expr
