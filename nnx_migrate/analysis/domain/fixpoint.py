"""Answers that depend on each other in circles: `x = f(x)`, recursive functions, cyclic classes."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any, TypeVar, cast

T = TypeVar("T")
#: What still changes after so many rounds is widened.
_ROUNDS = 8
UNKNOWN = object()
#: Gives what was found earlier for a key and still holds; UNKNOWN for anything else.
Lasts = Callable[[Hashable], object]


class _Open:
    """What is being computed, by its place in the stack."""

    __slots__ = ("depth",)

    def __init__(self, depth: int) -> None:
        self.depth = depth


@dataclasses.dataclass(frozen=True, slots=True)
class _Provisional:
    value: Any
    lowest: int
    widen: Callable[[Any], Any]


class Fixpoint:
    """Remembers answers; those of a circle are computed again until none of them changes.

    What is found while a circle is still open is remembered only once the whole circle is settled:
    an answer that was cut short where it met itself is not the answer to anybody else.

    Args:
        lasting: gives what was found earlier and still holds.
    """

    def __init__(self, lasting: Lasts | None = None) -> None:
        self._lasting = lasting
        self._known: dict[Hashable, Any] = {}  # final answers, and what is being computed
        self._lowest: list[int] = []  # of each, the lowest place that it was found to depend on
        self._guesses: dict[Hashable, Any] = {}  # answers of the round before
        self._provisional: dict[Hashable, _Provisional] = {}
        self._order: list[Hashable] = []  # the keys of `_provisional`, oldest first
        #: How many answers were given before there was a guess to give: those of a first round of
        #: a circle that is open, from whose being empty nothing may be concluded yet.
        self.unguessed = 0

    def get(self, key: Hashable, compute: Callable[[], T], least: T, widen: Callable[[T], T]) -> T:
        """The answer for `key`.

        Args:
            compute: computes it, asking for others by this method.
            least: what to assume of it at first, where it depends on itself.
            widen: makes of an answer that does not settle one that claims nothing, for good.
        """
        # Keys are expressions, which are hashed anew each time: each is looked up as seldom as
        # can be.
        answer: Any = self._known.get(key, UNKNOWN)
        if answer.__class__ is _Open:
            self._depends_on(answer.depth)
            self.unguessed += key not in self._guesses
            guess: T = self._guesses.get(key, least)
            return guess
        if answer is not UNKNOWN:
            final: T = answer
            return final
        if self._provisional and (known := self._provisional.get(key)) is not None:
            self._depends_on(known.lowest)
            self.unguessed += key not in self._guesses
            provisional: T = known.value
            return provisional
        if self._lasting is not None and (lasting := self._lasting(key)) is not UNKNOWN:
            self._known[key] = lasting
            held: T = cast(T, lasting)
            return held
        return self._compute(key, compute, widen)

    def final(self, key: Hashable) -> object:
        """The answer for `key` if it is settled, else UNKNOWN."""
        answer: object = self._known.get(key, UNKNOWN)
        return UNKNOWN if answer.__class__ is _Open else answer

    @property
    def settled(self) -> bool:
        """Whether no circle is open: what is computed now will not be asked for again."""
        return not self._guesses and not self._provisional

    @property
    def computing(self) -> bool:
        """Whether an answer is being computed, so that others may be cut short."""
        return bool(self._lowest)

    def _depends_on(self, depth: int) -> None:
        if self._lowest:
            self._lowest[-1] = min(self._lowest[-1], depth)

    def _compute(self, key: Hashable, compute: Callable[[], T], widen: Callable[[T], T]) -> T:
        depth, opened = len(self._lowest), len(self._order)
        unguessed = self.unguessed
        self._known[key] = _Open(depth)
        self._lowest.append(depth + 1)
        lowest = -1
        try:
            value = self._settle(key, compute, widen, depth)
            lowest = self._lowest[-1]
        except BaseException:
            self._reopen(opened)
            raise
        finally:
            if lowest < depth:
                del self._known[key]
            self._lowest.pop()
        if lowest < depth:
            self._provisional[key] = _Provisional(value, lowest, widen)
            self._order.append(key)
            self._depends_on(lowest)
        else:
            self.unguessed = unguessed  # a circle that is settled leaves nothing open
        return value

    def _settle(
        self, key: Hashable, compute: Callable[[], T], widen: Callable[[T], T], depth: int
    ) -> T:
        opened = len(self._order)
        rounds = 0
        while True:
            value = compute()
            lowest = self._lowest[-1]
            if lowest < depth:  # part of a circle that began further up
                return value
            if lowest > depth:  # no part of any circle, so that none is left open
                self._keep({key: value})
                return value
            found = {name: self._provisional[name].value for name in self._order[opened:]}
            found[key] = value
            changed = [
                name for name, answer in found.items() if self._guesses.get(name, UNKNOWN) != answer
            ]
            if not changed:
                self._keep(found)
                self._reopen(opened)
                return value
            rounds += 1
            if rounds >= _ROUNDS:
                if key in changed:
                    self._keep({key: widen(value)})
                    self._reopen(opened)
                    return widen(value)
                self._keep({n: self._provisional[n].widen(found.pop(n)) for n in changed})
            self._guesses.update(found)
            self._reopen(opened)

    def _keep(self, answers: dict[Hashable, Any]) -> None:
        self._known.update(answers)
        for name in answers if self._guesses else ():
            self._guesses.pop(name, None)

    def _reopen(self, opened: int) -> None:
        for name in self._order[opened:]:
            del self._provisional[name]
        del self._order[opened:]
