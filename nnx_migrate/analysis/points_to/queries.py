"""The questions that are asked of objects, in circles too: where does this one come from?

`object_finder` says which module answers which.
"""

from __future__ import annotations

import abc
import sys
from collections.abc import Callable, Hashable

from nnx_migrate.analysis.domain.values import Instance, Located, Scope
from nnx_migrate.analysis.effects.may_alias import VARIABLE_READS
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.points_to.abstract_objects import NOTHING, Held

#: After all lines of a function.
LAST = sys.maxsize
_MAX_DEPTH = 40
#: So many answers may be needed for one.
_MOST = 5_000
#: Where a method stores something in its own object, what, and on which line.
Kept = tuple[tuple[str, ...], Held, int]


class Objects(abc.ABC):
    """What is asked, with what it remembers."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self._known: dict[Hashable, Held] = {}
        self._stores: dict[Scope, tuple[Kept, ...]] = {}
        self._asked: dict[Hashable, int] = {}
        self._lowest = LAST
        self._left = _MOST

    def held(self, scope: Scope, expr: ir.Expr, at: int = LAST) -> Held:
        """What an expression gives that is evaluated at a line of a function."""
        return self._once((scope, expr, at), lambda: self._held(scope, expr, at))

    def returned(self, scope: Scope) -> Held:
        """What a function returns, in terms of its parameters."""
        return self._once(("returned", scope), lambda: self._returned(scope))

    def kept(self, method: Scope) -> tuple[Kept, ...]:
        """What a method stores in its own object."""
        known = self._stores.get(method)
        if known is not None:
            return known
        if ("kept", method) in self._asked:  # it calls itself
            self._lowest = 0
            return ()
        self._asked["kept", method] = len(self._asked)
        outer, self._lowest = self._lowest, LAST
        found = self._kept(method)
        del self._asked["kept", method]
        if self._lowest == LAST or not self._asked:
            self._stores[method] = found
        self._lowest = min(self._lowest, outer)
        return found

    def _once(self, key: Hashable, compute: Callable[[], Held]) -> Held:
        """Each answer is found once; one that depends on itself holds nothing of itself."""
        known = self._known.get(key)
        if known is not None:
            return known
        if not self._asked:
            self._left = _MOST
        self._left -= 1
        if key in self._asked or len(self._asked) >= _MAX_DEPTH or self._left < 0:
            self._lowest = min(self._lowest, self._asked.get(key, 0))
            return NOTHING
        own = self._asked[key] = len(self._asked)
        outer, self._lowest = self._lowest, LAST
        found = compute()
        del self._asked[key]
        if self._lowest >= own:  # it hangs on nothing that is still being asked
            self._known[key] = found
            self._lowest = outer
        else:
            self._lowest = min(self._lowest, outer)
        return found

    @abc.abstractmethod
    def _held(self, scope: Scope, expr: ir.Expr, at: int) -> Held: ...

    @abc.abstractmethod
    def _returned(self, scope: Scope) -> Held: ...

    @abc.abstractmethod
    def _kept(self, method: Scope) -> tuple[Kept, ...]: ...


def is_in_variable(evaluator: Evaluator, place: Located) -> bool:
    """Whether it is what a Variable holds: `self.count.value`, which is no object of nnx."""
    match place.expr:
        case ir.Attribute(base=base, name=name) if name in VARIABLE_READS:
            values = evaluator.values(place.scope, base)
        case _:
            return False
    return bool(values) and all(
        isinstance(value, Instance) and evaluator.hierarchy.kind(value.class_name) == "variable"
        for value in values
    )
