"""Goes through what functions do with an object, one after the other, and collects its uses."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Collection, Iterator

from nnx_migrate.analysis.effects.captured.steps import (
    Enter,
    Followed,
    OneOf,
    Perhaps,
    Steps,
    Through,
    Use,
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
                case OneOf(classes=classes):
                    yield from self._one_of(classes)

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

    def _one_of(self, classes: tuple[Steps, ...]) -> Iterator[Use]:
        found = [list(self.uses(steps)) for steps in classes]
        every = all(any(use.expected for use in uses) for uses in found)
        for use in itertools.chain.from_iterable(found):
            yield dataclasses.replace(use, expected=use.expected and every)
