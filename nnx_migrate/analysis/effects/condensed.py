"""Sets of thousands of effects, of which the first of each sort says as much.

A call of what may be any Module of a project does what all of these do, and so does whatever
leads to it. Which of a thousand attributes is set makes no difference to anybody, and is told of
one of them; what decisions are made on is kept as it is.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from nnx_migrate.analysis.effects.causes import (
    AttributeWritten,
    CalleeUnknown,
    Cause,
    MethodUnknown,
    PassedTo,
    PropertyCached,
    TextExecuted,
    Unseen,
    changes_by,
)
from nnx_migrate.analysis.effects.effect import Effect, Effects
from nnx_migrate.analysis.symbols.imports.import_graph import is_test_file

#: What decisions are made on.
_Sort = tuple[Hashable, ...]
#: Sets up to this size are left as they are: each effect of them may be told.
ENOUGH = 512


class _Sorted(NamedTuple):
    """What is told of an effect, found once: the same ones are in thousands of sets.

    Args:
        sort: the number of the sort.
        always: that of the same where it happens whatever is true; its own if it is that.
        kept: it is kept wherever it happens.
    """

    sort: int
    always: int
    module: str
    in_tests: bool
    kept: bool


class Sorts:
    """The sorts of effects, and which effect is of which one."""

    def __init__(self) -> None:
        self._numbers: dict[_Sort, int] = {}
        self._known: dict[Effect, _Sorted] = {}

    def of(self, effect: Effect) -> _Sorted:
        known = self._known.get(effect)
        if known is None:
            known = self._known[effect] = self._found(effect)
        return known

    def _found(self, effect: Effect) -> _Sorted:
        sort = _sort(effect)
        home = effect.where.module
        kept = effect.sows or changes_by(effect.cause, "pop")
        number = self._number((effect.flag, effect.field, effect.home, *sort))
        always = self._number((None, None, "", *sort))
        return _Sorted(number, always, home, is_test_file(home), kept)

    def _number(self, sort: _Sort) -> int:
        return self._numbers.setdefault(sort, len(self._numbers))


def condensed(effects: Effects, module: str, sorts: Sorts | None = None) -> Effects:
    """The effects of a function on its parameter, without those that others stand for.

    Args:
        module: that of the function; what happens there is asked for by its place, too, and so is
            what is sown and popped anywhere.
        sorts: those that are known.
    """
    if len(effects) <= ENOUGH:
        return effects
    sort_of = (Sorts() if sorts is None else sorts).of
    kept: set[Effect] = set()
    rest: list[tuple[_Sorted, Effect]] = []
    elsewhere: set[int] = set()
    for effect in effects:
        told = sort_of(effect)
        if not told.in_tests:
            elsewhere.add(told.sort)
        if told.kept or told.module == module:
            kept.add(effect)
        else:
            rest.append((told, effect))
    first: dict[int | tuple[int, str], tuple[_Sorted, Effect]] = {}
    for told, effect in rest:
        sort: int | tuple[int, str] = told.sort
        if told.in_tests and sort not in elsewhere:
            sort = told.sort, told.module  # not every program has it
        known = first.get(sort)
        if known is None or _is_before(effect, known[1], told.in_tests, known[0].in_tests):
            first[sort] = told, effect
    for sort, (told, effect) in first.items():
        # What always happens stands for what happens when a parameter is true.
        always = told.always if isinstance(sort, int) else (told.always, told.module)
        if sort == always or always not in first:
            kept.add(effect)
    return frozenset(kept)


def _is_before(one: Effect, other: Effect, in_tests: bool, other_in_tests: bool) -> bool:
    if in_tests != other_in_tests:
        return other_in_tests
    if one.where != other.where:
        return one.where < other.where
    return one.order < other.order


def _sort(effect: Effect) -> tuple[Hashable, ...]:
    """What decisions are made on, without a place and without words."""
    return (effect.kind, effect.way, *_decisive(effect.cause))


def _decisive(cause: Cause) -> tuple[Hashable, ...]:
    match cause:
        case AttributeWritten(how=how):
            return AttributeWritten, how
        case PropertyCached() | Unseen() | TextExecuted():
            return (type(cause).__name__,)
        case PassedTo(called=called, hidden=hidden, library=library, form=form):
            return PassedTo, called, hidden == "run time", library, form
        case MethodUnknown(name=name, form=form):
            return MethodUnknown, name, form
        case CalleeUnknown(form=form):
            return CalleeUnknown, form
        case _:
            return (cause,)
