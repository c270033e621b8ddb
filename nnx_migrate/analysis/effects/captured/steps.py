"""What a function does with an object that it follows, as steps that any search can go through."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterator
from typing import Literal

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.core.place import Place

#: A function, and what it calls the object.
Followed = tuple[Scope, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Use:
    """One use that needs the object at the trace level of the function.

    Args:
        kind: "update": one of its Variables is written; "transform": it is an argument of one.
        what: in words, for the finding.
        where: its place.
        certain: it happens whenever the code is run; not so a layer that may be told not to.
        expected: it happens as far as the project shows: nothing in it tells the layer not to.
        via: the places of the calls that lead there.
        spares_params: what is written is another Variable than a Param.
    """

    kind: Literal["update", "transform"]
    what: str
    where: Place
    certain: bool = True
    expected: bool = True
    via: tuple[Place, ...] = ()
    spares_params: bool = False


Uses = frozenset[Use]


@dataclasses.dataclass(frozen=True, slots=True)
class Enter:
    """Another function is run, with the object under a name of its own."""

    followed: Followed


@dataclasses.dataclass(frozen=True, slots=True)
class Through:
    """What a call leads to, which is at its place in the way there."""

    place: Place
    steps: Steps


@dataclasses.dataclass(frozen=True, slots=True)
class Perhaps:
    """What a call leads to where it is not certain that it runs just that."""

    steps: Steps


@dataclasses.dataclass(frozen=True, slots=True)
class OfClass:
    """What a method of a class does.

    Args:
        own: the uses that its head shows.
        entered: the method itself; nothing where the class has none.
    """

    own: tuple[Use, ...] = ()
    entered: tuple[Followed, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class OneOf:
    """What a method does, for each class that the object can be of.

    A use is expected only where every class has one.

    Args:
        classes: what the classes do, which no more than two have in common: a function is entered
            once, so a third one would find what the second did.
        entered: the functions that are entered.
        own: the uses that are none of what is entered.
    """

    classes: tuple[OfClass, ...]
    entered: frozenset[Followed]
    own: tuple[Use, ...]

    @classmethod
    def of(cls, classes: tuple[OfClass, ...]) -> OneOf:
        """What is done once for all the calls that may be of any of these classes."""
        entered = frozenset(followed for each in classes for followed in each.entered)
        return cls(classes, entered, tuple(expected_of_all([each.own for each in classes])))


def expected_of_all(found: Collection[Collection[Use]]) -> Iterator[Use]:
    """What each class has, of which a use is expected only if every class has one."""
    every = all(any(use.expected for use in uses) for uses in found)
    for use in itertools.chain.from_iterable(found):
        yield dataclasses.replace(use, expected=use.expected and every)


Step = Use | Enter | Through | Perhaps | OneOf
Steps = tuple[Step, ...]


def concerns(steps: Steps, modules: frozenset[str]) -> bool:
    """Whether steps are about something in one of these modules."""
    return any(each in modules for each in _modules(steps))


def _modules(steps: Steps) -> Iterator[str]:
    for step in steps:
        match step:
            case Use(where=where):
                yield where.module
            case Enter(followed=(scope, _)):
                yield scope.module
            case Through(place=place, steps=inner):
                yield place.module
                yield from _modules(inner)
            case Perhaps(steps=inner):
                yield from _modules(inner)
            case OneOf(classes=classes):
                for each in classes:
                    yield from (use.where.module for use in each.own)
                    yield from (scope.module for scope, _ in each.entered)
