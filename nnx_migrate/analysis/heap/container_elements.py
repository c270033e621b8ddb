"""What is put into a container that a name is bound to, beside what it is made of."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.ir import nodes as ir

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
            rest = tuple(each for each in expr.elements if each != ir.Starred(ir.Name(name)))
            grown.append((dataclasses.replace(expr, elements=rest), line))  # xs = [*xs, v]
        elif isinstance(expr, ir.Sequence) and put[frozenset(expr.elements)]:
            put[frozenset(expr.elements)] -= 1
            grown.append((expr, line))
        else:
            made.append((expr, line))
    return made, grown


def _put_into(function: ir.Function, name: str) -> Iterator[frozenset[ir.Expr]]:
    for call in function.calls:
        if isinstance(call.func, ir.Attribute) and call.func.base == ir.Name(name):
            given = frozenset(call.args)
            yield from (given, frozenset(call.args[1:]))  # xs.append(v), xs.insert(i, v)
            yield frozenset(map(ir.Element, call.args))  # xs.extend(vs)
    for write in function.writes:
        if write.how == "key" and write.target == ir.Name(name) and write.value is not None:
            yield frozenset({write.value})
