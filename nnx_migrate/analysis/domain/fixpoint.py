"""Answers that depend on each other in circles: `x = f(x)`, recursive functions, cyclic classes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeVar, cast

T = TypeVar("T")
#: From this round of a circle on, what is assumed only grows: most have settled long before, and
#: what an answer once held is dropped again where it was made of less than is known by now.
_GROWING = 8
#: What still changes after so many rounds is widened. No circle of a project is known to get
#: there: how many rounds one takes hangs on which of its questions is asked first.
_ROUNDS = 200
UNKNOWN = object()
#: Gives what was found earlier for a key and still holds; UNKNOWN for anything else.
Lasts = Callable[[Hashable], object]


#: Of a question: it is being computed; its answer was found in this round of its circle; or in an
#: earlier one, if at all; or for good.
_OPEN, _FOUND, _STALE, _FINAL = range(4)
#: More than the number of any question.
_NONE = sys.maxsize


def _forgotten(*_: object) -> Any:
    raise AssertionError("no rule answers this question")


def _latest(_: Any, found: Any) -> Any:
    return found


class _Question:
    """A question whose answer is not final, or was not when another one asked it."""

    __slots__ = (
        "asked",
        "compute",
        "fold",
        "folded",
        "guess",
        "join",
        "key",
        "least",
        "lowest",
        "number",
        "state",
        "value",
        "widen",
    )

    def __init__(self, key: Hashable) -> None:
        self.key = key
        self.compute: Callable[[], Any] = _forgotten
        self.widen: Callable[[Any], Any] = _forgotten
        self.fold: Callable[[Any, Any], Any] = _forgotten
        self.join: Callable[[Any, Any], Any] = _forgotten
        self.least: Any = None
        self.state = _STALE
        self.value: Any = UNKNOWN
        #: The answer of the round before.
        self.guess: Any = UNKNOWN
        #: The answer that the guess was last made of.
        self.folded: Any = UNKNOWN
        #: How many questions were opened before it, the last time.
        self.number = 0
        #: The lowest number of a question without a final answer that it was found to depend on.
        self.lowest = 0
        #: What the answer rests on, in order; None where that is not known.
        self.asked: list[_Asked] | None = None

    def next_guess(self, *, growing: bool) -> Any:
        """What to take it for in the next round: no other than in this one for the same answer.

        Args:
            growing: nothing is dropped that it was taken for in this one.
        """
        if self.value is self.folded or self.value == self.folded:
            return self.guess
        self.folded = self.value
        return (self.join if growing else self.fold)(self.assumed, self.value)

    @property
    def assumed(self) -> Any:
        """What its circle takes it for in this round."""
        return self.least if self.guess is UNKNOWN else self.guess


#: A question, the answer that it had, and whether that was a mere assumption.
_Asked = tuple[_Question, Any, bool]


class Fixpoint:
    """Remembers answers; those of a circle are computed again until none of them changes.

    What is found while a circle is still open is remembered only once the whole circle is settled:
    an answer that was cut short where it met itself is not the answer to anybody else. In each
    round after the first one only those answers are computed that rest on one that has changed;
    the others are the same again.

    Args:
        lasting: gives what was found earlier and still holds.
    """

    def __init__(self, lasting: Lasts | None = None) -> None:
        self._lasting = lasting
        #: Final answers, and questions without one. What is asked a million times looks here
        #: first, by the class of its answers: to make what would compute one takes longer.
        self.known: dict[Hashable, Any] = {}
        #: How many questions were opened. It tells which of two came first, also where one is no
        #: longer open: its place in the stack does not, as another may have that by now.
        self._opened = 0
        self._lowest: list[int] = []  # of each that is open, what it depends on so far
        self._asked: list[list[_Asked]] = []  # of each that is open, what it asked so far
        self._found: list[_Question] = []  # in the rounds of open circles, oldest first
        self._in_circles: list[_Question] = []  # all since nothing was open
        #: How many answers were given before there was a guess to give: those of a first round of
        #: a circle that is open, from whose being empty nothing may be concluded yet.
        self.unguessed = 0
        #: How many answers were computed.
        self.computed = 0

    def get(
        self,
        key: Hashable,
        compute: Callable[[], T],
        least: T,
        widen: Callable[[T], T],
        fold: Callable[[T, T], T] = _latest,
        join: Callable[[T, T], T] | None = None,
    ) -> T:
        """The answer for `key`.

        Args:
            compute: computes it, asking for others by this method.
            least: what to assume of it at first, where it depends on itself.
            widen: makes of an answer that does not settle one that claims nothing, for good.
            fold: makes of what was assumed of it and of what was found what to assume in the next
                round: one of finitely many, where answers can grow without end.
            join: the same where circles do not settle, as what is found may shrink again: holds
                all that was assumed. Without it `fold` does that.
        """
        # Keys are expressions, which are hashed anew each time: each is looked up as seldom as
        # can be.
        known: Any = self.known.get(key, UNKNOWN)
        if known is not UNKNOWN:
            found = self.found(known)
            if found is not UNKNOWN:
                return cast(T, found)
        else:
            known = None
        if self._lasting is not None and (lasting := self._lasting(key)) is not UNKNOWN:
            self.known[key] = lasting
            return cast(T, lasting)
        if known is None:
            known = self.known[key] = _Question(key)
        known.compute, known.widen, known.fold, known.least = compute, widen, fold, least
        known.join = join or fold
        unguessed = self.unguessed
        found = self._compute(known)
        if known.state != _FINAL and self._asked:
            self._asked[-1].append((known, found, self.unguessed != unguessed))
        return cast(T, found)

    def found(self, known: object) -> Any:
        """The answer that is known by a key, for good or in this circle; else UNKNOWN.

        Args:
            known: what `known` has for the key.
        """
        if not isinstance(known, _Question):
            return known
        if known.asked is None and known.state == _STALE:
            return UNKNOWN
        return self._answer(known)

    def final(self, key: Hashable) -> object:
        """The answer for `key` if it is settled, else UNKNOWN."""
        answer: object = self.known.get(key, UNKNOWN)
        return UNKNOWN if answer.__class__ is _Question else answer

    @property
    def computing(self) -> bool:
        """Whether an answer is being computed, so that others may be cut short."""
        return bool(self._lowest)

    def _answer(self, question: _Question) -> Any:
        """The answer to a question, noted for whoever is asking."""
        unguessed = self.unguessed
        value = self._current(question)
        if self._asked and question.state != _FINAL:
            self._asked[-1].append((question, value, self.unguessed != unguessed))
        return value

    def _current(self, question: _Question) -> Any:
        if question.state == _OPEN:
            self._depends_on(question.number)
            if question.guess is UNKNOWN:
                self.unguessed += 1
            return question.assumed
        if question.state == _FOUND:
            self._depends_on(question.lowest)
            self.unguessed += question.guess is UNKNOWN
            return question.value
        return question.value if question.state == _FINAL else self._compute(question)

    def _depends_on(self, number: int) -> None:
        lowest = self._lowest
        if lowest and lowest[-1] > number:
            lowest[-1] = number

    def _compute(self, question: _Question) -> Any:
        opened, unguessed = len(self._found), self.unguessed
        question.number = self._opened
        self._opened += 1
        question.state = _OPEN
        self._lowest.append(_NONE)
        self._asked.append([])
        value: Any = UNKNOWN
        try:
            value = self._settle(question)
        finally:
            lowest = self._lowest.pop()
            asked: list[_Asked] | None = self._asked.pop()
            if value is UNKNOWN:  # it was cut short
                self._reopen(opened)
                question.state, asked = _STALE, None
            if question.state == _FINAL:
                self.unguessed = unguessed  # a circle that is settled leaves nothing open
            else:
                self._remember(question, asked)
            if not self._lowest:
                self._forget()
        if question.state != _FINAL:
            question.state = _FOUND
            question.value, question.lowest = value, lowest
            self._found.append(question)
            self._depends_on(lowest)
        return value

    def _remember(self, question: _Question, asked: list[_Asked] | None) -> None:
        if question.asked is None:
            self._in_circles.append(question)
        question.asked = asked

    def _forget(self) -> None:
        """Let go of how questions rest on each other, which would be circles of objects."""
        for question in self._in_circles:
            question.asked = None
            question.compute = question.widen = question.fold = question.join = _forgotten
        self._in_circles.clear()

    def _settle(self, question: _Question) -> Any:
        number, opened = question.number, len(self._found)
        rounds = 0
        while True:
            asked = question.asked
            if asked is not None and self._unchanged(asked):
                value = question.value
                self._asked[-1] = asked
            else:
                self._asked[-1] = []
                self.computed += 1
                value = question.compute()
            lowest = self._lowest[-1]
            if lowest < number:  # part of a circle that began further up
                return value
            if lowest > number:  # no part of any circle, so that none is left open
                self._keep(question, value)
                return value
            question.value = value
            found = [*self._found[opened:], question]
            growing = rounds >= _GROWING
            guesses = [(each, each.next_guess(growing=growing)) for each in found]
            changed = [each for each, guess in guesses if each.guess != guess]
            if not changed:
                for each in found:
                    self._keep(each, each.value)
                del self._found[opened:]
                return value
            rounds += 1
            if rounds >= _ROUNDS:
                if question in changed:
                    self._keep(question, question.widen(value))
                    self._reopen(opened)
                    return question.value
                for each in changed:
                    self._keep(each, each.widen(each.value))
            for each, guess in guesses:
                if each.state != _FINAL:
                    each.guess = guess
            self._remember(question, self._asked[-1])
            self._reopen(opened)

    def _unchanged(self, asked: Iterable[_Asked]) -> bool:
        """Whether questions, asked in the same order, have the same answers as before."""
        for question, before, assumed in asked:
            unguessed = self.unguessed
            value = self._current(question)
            if (self.unguessed != unguessed) is not assumed:
                return False
            if value is not before and value != before:
                return False
        return True

    def _keep(self, question: _Question, value: Any) -> None:
        question.value = value
        question.state = _FINAL
        self.known[question.key] = value

    def _reopen(self, opened: int) -> None:
        for question in self._found[opened:]:
            if question.state != _FINAL:
                question.state = _STALE
        del self._found[opened:]
