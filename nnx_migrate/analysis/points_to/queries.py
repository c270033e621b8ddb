"""The questions that are asked of objects, in circles too: where does this one come from?

`object_finder` says which module answers which.
"""

from __future__ import annotations

import abc
import sys
from collections.abc import Callable, Hashable
from typing import Any, TypeVar

from nnx_migrate.analysis.domain.values import Instance, Located, Scope
from nnx_migrate.analysis.interp.interpreter import Evaluator
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.library.effect_model import VARIABLE_READS
from nnx_migrate.analysis.points_to.abstract_objects import NOTHING, Held, anything

#: After all lines of a function.
LAST = sys.maxsize
#: So many questions may be open at once, each a dozen frames of the stack.
_DEEPEST = 1_000
#: So many answers may be needed for one. Beyond, an object may be any.
_MOST = 50_000
#: Where a method stores something in its own object, what, and on which line.
Kept = tuple[tuple[str, ...], Held, int]
Answer = TypeVar("Answer")


class Objects(abc.ABC):
    """What is asked, with what it remembers.

    An answer that depends on itself is the least one: it holds nothing of itself. What was found
    on the way holds as long as that question is open, and is found again behind it.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.project = evaluator.project
        self.hierarchy = evaluator.hierarchy
        self._known: dict[Hashable, Any] = {}
        #: Answers that depend on open questions, with the bits of these questions' levels.
        self._preliminary: dict[Hashable, tuple[Any, int]] = {}
        #: level -> which of them end with the question that is open there
        self._until: dict[int, list[Hashable]] = {}
        self._open: dict[Hashable, int] = {}
        #: The levels of the open questions that the one at hand depends on.
        self._depends = 0
        self._left = _MOST

    def held(self, scope: Scope, expr: ir.Expr, at: int = LAST) -> Held:
        """What an expression gives that is evaluated at a line of a function."""
        return self._once(
            (scope, expr, at),
            lambda: self._held(scope, expr, at),
            NOTHING,
            lambda: anything(Located(scope, expr)),
        )

    def bound(self, scope: Scope, name: str) -> Held:
        """Any of the values that a variable is bound to in several places."""
        return self._once(
            ("bound", scope, name),
            lambda: self._bound(scope, name),
            NOTHING,
            lambda: anything(Located(scope, ir.Name(name))),
        )

    def returned(self, scope: Scope) -> Held:
        """What a function returns, in terms of its parameters."""
        return self._once(
            ("returned", scope),
            lambda: self._returned(scope),
            NOTHING,
            lambda: anything(Located(scope, ir.UNSEEN)),
        )

    def kept(self, method: Scope) -> tuple[Kept, ...]:
        """What a method stores in its own object."""
        return self._once(
            ("kept", method),
            lambda: self._kept(method),
            (),
            lambda: (((), anything(Located(method, ir.UNSEEN)), 0),),
        )

    def _once(
        self,
        key: Hashable,
        compute: Callable[[], Answer],
        least: Answer,
        greatest: Callable[[], Answer],
    ) -> Answer:
        """Each answer is found once.

        Args:
            least: the answer as far as it depends on itself.
            greatest: the answer where it takes too long to find it.
        """
        answer: Answer | None = self._known.get(key)
        if answer is not None:
            return answer
        if key in self._preliminary:
            answer, depends = self._preliminary[key]
            self._depends |= depends
            return answer
        if (level := self._open.get(key)) is not None:
            self._depends |= 1 << level
            return least
        if not self._open:
            self._left = _MOST
        self._left -= 1
        if self._left < 0 or len(self._open) >= _DEEPEST:
            found = self._known[key] = greatest()
            return found
        outer, self._depends = self._depends, 0
        level = self._open[key] = len(self._open)
        try:
            found = compute()
            depends = self._depends & ~(1 << level)
        finally:
            del self._open[key]
            self._depends = outer
            for ended in self._until.pop(level, ()):
                del self._preliminary[ended]
        if depends:
            self._preliminary[key] = found, depends
            self._until.setdefault(depends.bit_length() - 1, []).append(key)
            self._depends |= depends
        else:
            self._known[key] = found
        return found

    @abc.abstractmethod
    def _held(self, scope: Scope, expr: ir.Expr, at: int) -> Held: ...

    @abc.abstractmethod
    def _bound(self, scope: Scope, name: str) -> Held: ...

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
