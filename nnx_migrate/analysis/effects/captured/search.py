"""Goes through what functions do with an object, one after the other, and collects its uses."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterator

from nnx_migrate.analysis.effects.captured.steps import (
    Enter,
    Followed,
    OneOf,
    Perhaps,
    Steps,
    Through,
    Use,
    expected_of_all,
)
from nnx_migrate.core.place import Place


class Search:
    """Follows one object through all that is done with it; nothing is looked at twice.

    Args:
        local: gives what a function does itself.
        silent: what is known to use nothing, whatever it leads to.
    """

    def __init__(
        self, local: Callable[[Followed], Steps], silent: Collection[Followed] = ()
    ) -> None:
        self.local = local
        self.silent = silent
        #: What was looked at, with what it leads to.
        self.seen: dict[Followed, set[Followed]] = {}
        self._around: list[set[Followed]] = []
        #: By identity, how many of its classes were looked at, or are being so.
        self._begun: dict[int, tuple[OneOf, int]] = {}

    def uses(self, steps: Steps) -> Iterator[Use]:
        """The uses among steps, and in what they lead to."""
        for step in steps:
            match step:
                case Use():
                    yield step
                case Enter(followed=followed):
                    yield from self._entered(followed)
                case Through(place=place, steps=inner):
                    yield from self._through(place, inner)
                case Perhaps(steps=inner):
                    for use in self.uses(inner):
                        yield dataclasses.replace(use, certain=False)
                case OneOf():
                    yield from self._one_of(step)

    def _entered(self, followed: Followed) -> Iterator[Use]:
        for leading in self._around[-1:]:
            leading.add(followed)
        if followed in self.seen or followed in self.silent:
            return
        self.seen[followed] = set()
        self._around.append(self.seen[followed])
        yield from self.uses(self.local(followed))
        self._around.pop()

    def _through(self, place: Place, steps: Steps) -> Iterator[Use]:
        for use in self.uses(steps):
            via = use.via if use.where == place else (place, *use.via)
            yield dataclasses.replace(use, via=via)

    def _one_of(self, step: OneOf) -> Iterator[Use]:
        # Thousands of calls may be of what can be any of hundreds of classes: each goes on where
        # the one before it is.
        for leading in self._around[-1:]:
            leading.update(step.entered)
        count = len(step.classes)
        found: dict[int, list[Use]] = {}
        while (place := self._begun.get(id(step), (step, 0))[1]) < count:
            self._begun[id(step)] = step, place + 1
            each = step.classes[place]
            entered = [use for followed in each.entered for use in self._entered(followed)]
            found[place] = [*each.own, *entered]
        if found:
            classes = enumerate(step.classes)
            yield from expected_of_all([found.get(i, each.own) for i, each in classes])
        else:
            yield from step.own
