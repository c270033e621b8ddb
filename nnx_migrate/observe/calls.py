"""Counts the calls of a function, and says which of them are looked into.

These are all calls while jax traces: what a transform runs is among them. Of the others, those that
get an object which none before got, and the first ones and ever fewer of the rest.
"""

from __future__ import annotations

from collections import Counter
from typing import Any
from weakref import WeakValueDictionary

from nnx_migrate.check.recording.kinds import is_tracing
from nnx_migrate.observe.objects import TooMuch, objects_in

#: So often an argument is looked at that is too large to say whether it is the same as before.
_MOST_LARGE = 256


class Calls:
    """The calls of a function with arguments of such types, and the tests that they were in.

    The tests are as the environment holds them, and the last one is remembered: pytest says which
    one runs three times a test, and functions are called much more often.
    """

    def __init__(self) -> None:
        self.number = 0
        self.test: object = None
        self.tests: set[object] = set()
        #: The arguments that are not looked at any more, though they may differ.
        self.lost: tuple[int, ...] = ()
        self._holders: tuple[int, ...] | None = None
        self._known: WeakValueDictionary[int, Any] = WeakValueDictionary()
        self._large: Counter[int] = Counter()

    def count(self, values: tuple[Any, ...]) -> bool:
        """Counts a call, and says whether it is looked into.

        Args:
            values: its arguments.
        """
        self.number += 1
        is_new = self._has_new(values)
        return is_new or self.number & (self.number - 1) == 0 or is_tracing()

    def _has_new(self, values: tuple[Any, ...]) -> bool:
        """Whether an argument is, or holds, an object that no call before got."""
        if self._holders is None:
            # The arguments of all calls have the same types, and hold things of the same types.
            self._holders = tuple(n for n, value in enumerate(values) if _may_differ(value))
        found = False
        for place in self._holders:
            try:
                for each in objects_in(values[place]):
                    if self._known.get(id(each)) is not each:
                        found = True
                        self._known[id(each)] = each
            except (TooMuch, RuntimeError):
                self._large[place] += 1
                found = found or self._large[place] <= _MOST_LARGE
                if self._large[place] == _MOST_LARGE + 1:
                    self.lost = (*self.lost, place)
            except TypeError:
                found = True  # nothing remembers a Variable
        return found


def _may_differ(value: object) -> bool:
    """Whether a value holds an object, or is too large to say."""
    try:
        return any(True for _ in objects_in(value))
    except (TooMuch, RuntimeError):
        return True
