"""Sets of thousands of effects, of which the first of each sort says as much.

A call of what may be any Module of a project does what all of these do, and so does whatever
leads to it. Which of a thousand attributes is set makes no difference to anybody, and is told of
one of them; what decisions are made on is kept as it is.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable

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


def condensed(effects: Effects, module: str) -> Effects:
    """The effects of a function on its parameter, without those that others stand for.

    Args:
        module: that of the function; what happens there is asked for by its place, too, and so is
            what is sown and popped anywhere.
    """
    if len(effects) <= ENOUGH:
        return effects
    kept: set[Effect] = set()
    rest: list[tuple[_Sort, Effect]] = []
    elsewhere: set[_Sort] = set()
    in_tests = functools.cache(is_test_file)
    for effect in effects:
        sort: _Sort = (effect.flag, effect.field, effect.home, *_sort(effect))
        home = effect.where.module
        if not in_tests(home):
            elsewhere.add(sort)
        if home == module or effect.sows or changes_by(effect.cause, "pop"):
            kept.add(effect)
        else:
            rest.append((sort, effect))
    first: dict[_Sort, Effect] = {}
    for sort, effect in rest:
        home = effect.where.module
        if in_tests(home) and sort not in elsewhere:
            sort = (*sort, home)  # not every program has it
        known = first.get(sort)
        if known is None or _is_before(effect, known):
            first[sort] = effect
    for sort, effect in first.items():
        # What always happens stands for what happens when a parameter is true.
        conditional = effect.flag is not None or effect.field is not None or effect.home
        if not conditional or (None, None, "", *sort[3:]) not in first:
            kept.add(effect)
    return frozenset(kept)


def _is_before(one: Effect, other: Effect) -> bool:
    in_tests = is_test_file(one.where.module), is_test_file(other.where.module)
    if in_tests[0] != in_tests[1]:
        return in_tests[1]
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
