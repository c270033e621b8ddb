"""The questions that are asked of objects, in circles too: where does this one come from?

`object_finder` says which module answers which.
"""

from __future__ import annotations

import abc
import functools
import operator
import sys
from collections.abc import Callable, Hashable, Mapping
from typing import Literal, TypeVar

from nnx_migrate.analysis.domain.fixpoint import UNKNOWN, Fixpoint, Lasts
from nnx_migrate.analysis.domain.rests_on import RestsOn
from nnx_migrate.analysis.domain.values import Instance, Located, Scope
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import record
from nnx_migrate.analysis.library.effect_model import VARIABLE_READS
from nnx_migrate.analysis.points_to.abstract_objects import NOTHING, Held, anything
from nnx_migrate.analysis.points_to.widening import joined
from nnx_migrate.analysis.symbols.program import Binding

#: After all lines of a function. Half a line before one is where that has bound nothing yet.
LAST = sys.maxsize
#: So many questions may be open at once, each a dozen frames of the stack.
_DEEPEST = 1_000
#: So many answers may be needed for one. Beyond, an object may be any.
_MOST = 50_000
#: Where a method stores something in its own object, what, and on which line.
Kept = tuple[tuple[str, ...], Held, int]
#: What counts of what is put into a container: all; what it has at a line, turns of loops around
#: that included; or what it has there before the first turn of a loop that begins there.
Filled = Literal["all", "by then", "on entry"]
Answer = TypeVar("Answer")


@record
class ClassBinding:
    """What a class binds to a name.

    Args:
        by_all: what all of its objects have.
        stored: whether its methods store something else under it.
        container: the class that binds a new container to it, which no object replaces; or "".
    """

    by_all: tuple[Located, ...]
    stored: bool
    container: str = ""


@record
class StoredByName:
    """The stores and the calls of a function that may store something in what a name means."""

    writes: tuple[ir.Write, ...]
    calls: tuple[ir.Call, ...]


class Objects(abc.ABC):
    """What is asked, with what it remembers.

    An answer that depends on itself is found in rounds: at first it holds nothing of itself, then
    what was found in the round before, until nothing is new.

    Args:
        before: of the project that this one is but for a file.
        lasting: gives those of its answers that still hold.
    """

    def __init__(
        self, evaluator: Evaluator, before: Objects | None = None, lasting: Lasts | None = None
    ) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self._answers = Fixpoint(lasting)
        #: The modules whose functions were looked at for an answer.
        self.rests_on: RestsOn = RestsOn(None if before is None else before.rests_on)
        self._depth = 0
        self._left = _MOST
        self.stores_by_name: dict[Scope, Mapping[str, StoredByName]] = {}
        #: By class and name of the attribute.
        self.of_classes: dict[tuple[str, str], ClassBinding] = {}

    def held(self, scope: Scope, expr: ir.Expr, at: float = LAST) -> Held:
        """What an expression gives that is evaluated at a line of a function."""
        return self._value_once(
            (scope, expr, at),
            scope,
            functools.partial(self._held, scope, expr, at),
            NOTHING,
            lambda: anything(Located(scope, expr)),
        )

    def so_far(self, scope: Scope, name: str, at: float, filled: Filled = "by then") -> Held:
        """What a name gives at a line; of a container that is filled here what it has by then."""
        return self._value_once(
            (filled, scope, name, at),
            scope,
            functools.partial(self._so_far, scope, name, at, filled),
            NOTHING,
            lambda: anything(Located(scope, ir.Name(name))),
        )

    def bound(self, scope: Scope, name: str, to: tuple[tuple[Binding, int], ...]) -> Held:
        """Any of several values that a variable is bound to, each on its line."""
        return self._value_once(
            (name, to),
            scope,
            functools.partial(self._bound, name, to),
            NOTHING,
            lambda: anything(Located(scope, ir.Name(name))),
        )

    def returned(self, scope: Scope) -> Held:
        """What a function returns, in terms of its parameters."""
        return self._value_once(
            ("returned", scope),
            scope,
            functools.partial(self._returned, scope),
            NOTHING,
            lambda: anything(Located(scope, ir.UNSEEN)),
        )

    def kept(self, method: Scope) -> tuple[Kept, ...]:
        """What a method stores in its own object."""
        return self._once(
            ("kept", method),
            method,
            functools.partial(self._kept, method),
            (),
            lambda: (((), anything(Located(method, ir.UNSEEN)), 0),),
            functools.partial(_all_joined, method),
        )

    def may_store(self, scope: Scope, name: str) -> bool:
        """Whether a function stores anything in the object that a name of it is bound to."""
        return self._once(
            ("may store", scope, name),
            scope,
            functools.partial(self._may_store, scope, name),
            False,
            lambda: True,
            operator.or_,
        )

    def stored(self, scope: Scope, name: str) -> tuple[Kept, ...]:
        """What a function stores in the object that a name of it is bound to."""
        if not self.may_store(scope, name):
            return ()
        return self._once(
            ("stored", scope, name),
            scope,
            functools.partial(self._stored, scope, name),
            (),
            lambda: (((), anything(Located(scope, ir.Name(name))), 0),),
            functools.partial(_all_joined, scope),
        )

    def _value_once(
        self,
        key: Hashable,
        scope: Scope,
        compute: Callable[[], Held],
        least: Held,
        greatest: Callable[[], Held],
    ) -> Held:
        fold = functools.partial(joined, greatest=greatest)
        return self._once(key, scope, compute, least, greatest, fold)

    def _once(
        self,
        key: Hashable,
        scope: Scope,
        compute: Callable[[], Answer],
        least: Answer,
        greatest: Callable[[], Answer],
        fold: Callable[[Answer, Answer], Answer],
    ) -> Answer:
        """Each answer is found once.

        Args:
            scope: the function that it is about.
            least: what to assume of the answer at first, where it depends on itself.
            greatest: the answer where it takes too long to find it.
            fold: what to assume of it in the next round, of what was assumed and what was found.
        """
        within_bounds = functools.partial(self._within_bounds, key, scope, compute, greatest)
        found = self._answers.get(key, within_bounds, least, lambda _: greatest(), fold)
        if self._depth:
            self.rests_on.asked(key, settled=self.final(key) is not UNKNOWN)
        return found

    def final(self, key: Hashable) -> object:
        """The answer for a key if it is settled, else UNKNOWN."""
        return self._answers.final(key)

    def _within_bounds(
        self,
        key: Hashable,
        scope: Scope,
        compute: Callable[[], Answer],
        greatest: Callable[[], Answer],
    ) -> Answer:
        if not self._depth:
            self._left = _MOST
        self._left -= 1
        if self._left < 0 or self._depth >= _DEEPEST:
            return greatest()
        self._depth += 1
        self.rests_on.begin(key, scope.module)
        try:
            return compute()
        finally:
            self.rests_on.end()
            self._depth -= 1

    @abc.abstractmethod
    def _held(self, scope: Scope, expr: ir.Expr, at: float) -> Held: ...

    @abc.abstractmethod
    def _so_far(self, scope: Scope, name: str, at: float, filled: Filled) -> Held: ...

    @abc.abstractmethod
    def _bound(self, name: str, to: tuple[tuple[Binding, int], ...]) -> Held: ...

    @abc.abstractmethod
    def _returned(self, scope: Scope) -> Held: ...

    @abc.abstractmethod
    def _kept(self, method: Scope) -> tuple[Kept, ...]: ...

    @abc.abstractmethod
    def _may_store(self, scope: Scope, name: str) -> bool: ...

    @abc.abstractmethod
    def _stored(self, scope: Scope, name: str) -> tuple[Kept, ...]: ...


def _all_joined(
    scope: Scope, before: tuple[Kept, ...], found: tuple[Kept, ...]
) -> tuple[Kept, ...]:
    kept: dict[tuple[tuple[str, ...], int], Held] = {}
    for place, held, line in (*before, *found):
        known = kept.get((place, line), NOTHING)
        kept[place, line] = joined(known, held, lambda: anything(Located(scope, ir.UNSEEN)))
    return tuple((place, held, line) for (place, line), held in kept.items())


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
