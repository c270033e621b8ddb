"""What a container is made of, by name, so that one object in several places of it is seen.

A name is taken for an object that stays the same where it is bound once, or is a parameter. Whether
it is an object of nnx is for those to ask who see it twice.
"""

from __future__ import annotations

import collections
import functools
from collections.abc import Iterable, Iterator

from nnx_migrate.analysis.domain.values import ContainerValue, Located, Scope
from nnx_migrate.analysis.flax.model import layers
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.lower_expressions import is_new_container

#: What is called to make a container of what it is given, and what hands a container on.
_MAKING = frozenset({"data", "list", "tuple", "dict", "chain", "reversed"})
#: What gives its argument again and again, and the place of that argument.
_REPEATING = {"repeat": 0, "cycle": 0, "fromkeys": 1}


@functools.cache
def _making() -> frozenset[str]:
    """The names of all that keeps what it is given, layers of the library among it."""
    keeping = {each.name for each in layers().values() if "argument" in each.attributes.values()}
    return _MAKING | keeping


class PartsFinder:
    """Takes containers apart, as far as they are put together in the function at hand."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project

    def of(
        self, scope: Scope, expr: ir.Expr, within: frozenset[str] = frozenset()
    ) -> list[ir.Expr]:
        """The names, and attributes of names, that an expression holds, each as often as it does.

        What a call makes counts only where a list, or the like, has it several times.

        Args:
            scope: the function that the names mean something in; what others bind is left out.
            expr: what is stored somewhere: a name, a list, `nnx.List([a, *others])`.
            within: names of containers that it is a part of.
        """
        match expr:
            case ir.Sequence(elements=elements):
                return self._all(scope, elements, within)
            case ir.Starred(value=value) | ir.Element(base=value):
                return self.of(scope, value, within)
            case ir.Choice(options=options):
                return max((self.of(scope, each, within) for each in options), key=len, default=[])
            case ir.Computed(operands=(left, right)):
                lists = [each for each in (left, right) if self._is_list(scope, each)]
                if len(lists) == 1:  # a list so many times
                    return self._again(scope, lists, within)
                return self._all(scope, (left, right), within)
            case ir.Call(func=func, args=args, keywords=keywords):
                name = ir.last_name(func)
                if name in _REPEATING:
                    return self._again(scope, args[_REPEATING[name] :][:1], within)
                if name not in _making():
                    return []
                named = [value for keyword, value in keywords if keyword != "rngs"]
                return self._all(scope, (*args, *named), within)
            case ir.Name():
                return self._of_name(scope, expr, within)
            case ir.Attribute() if ir.root_name(expr) is not None:
                return [expr]
            case _:
                return []

    def _all(self, scope: Scope, parts: Iterable[ir.Expr], within: frozenset[str]) -> list[ir.Expr]:
        return [each for part in parts for each in self.of(scope, part, within)]

    def _again(
        self, scope: Scope, parts: Iterable[ir.Expr], within: frozenset[str]
    ) -> list[ir.Expr]:
        found: list[ir.Expr] = []
        for part in parts:
            held = part.elements if isinstance(part, ir.Sequence) else (part,)
            made = [e for e in held if isinstance(e, ir.Call) and ir.last_name(e) not in _making()]
            found += made + self.of(scope, part, within)
        return found * 2

    def _of_name(self, scope: Scope, expr: ir.Name, within: frozenset[str]) -> list[ir.Expr]:
        bindings = self.project.bindings(scope, expr.id)
        bound = [b.expr for b in bindings if isinstance(b, Located) and b.scope == scope]
        if any(map(is_new_container, bound)):
            if expr.id in within or len(bound) < len(bindings):
                return []
            made, grown = told_apart(self.project.function(scope), expr.id, bound)
            ways = (self.of(scope, each, within | {expr.id}) for each in made)
            return max(ways, key=len, default=[]) + self._all(scope, grown, within | {expr.id})
        if len(bindings) != 1:
            return []
        (binding,) = bindings
        another_each_turn = isinstance(binding, Located) and isinstance(binding.expr, ir.Element)
        return [] if another_each_turn else [expr]

    def _is_list(self, scope: Scope, expr: ir.Expr) -> bool:
        if is_new_container(expr):
            return True
        return any(isinstance(v, ContainerValue) for v in self.evaluator.values(scope, expr))


def told_apart(
    function: ir.Function, name: str, bound: list[ir.Expr]
) -> tuple[list[ir.Expr], list[ir.Expr]]:
    """What a name is bound to, one or the other, and what is put into that, all of it."""
    put = collections.Counter(_put_into(function, name))
    made, grown = [], []
    for expr in bound:
        if isinstance(expr, ir.Computed) and ir.Name(name) in expr.operands:  # xs += [..]
            grown += [each for each in expr.operands if each != ir.Name(name)]
        elif isinstance(expr, ir.Sequence) and put[frozenset(expr.elements)]:
            put[frozenset(expr.elements)] -= 1
            grown.append(expr)
        else:
            made.append(expr)
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
