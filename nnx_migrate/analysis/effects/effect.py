"""What happens to an object that a function is given, as a record, and which of them decides.

Nearly all effects of a function are the same ones for its callers, and theirs: an attribute is set
there, whatever leads there. Those are joined as sets, hundreds in one step of Python's own, where
each of the others is looked at by itself, at each call.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Literal

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.causes import (
    CalleeUnknown,
    Cause,
    MethodUnknown,
    Unseen,
    VariableAdded,
    changes_by,
    explain,
    told,
)
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import linked_record, record
from nnx_migrate.core.place import Place

_SEVERITY = {"structure": 0, "escape": 1, "unknown": 2}


@linked_record
class TestedField(ir.Link):
    """An attribute that a test asks for.

    Args:
        classes: those that the object may be of, in order.
    """

    classes: tuple[str, ...]
    name: str


@linked_record
class Effect(ir.Link):
    """One thing that happens to the object.

    Args:
        kind: "structure": attributes are created, replaced, deleted, set, sown or popped;
            "escape": the object or a part of it is returned, or kept in something else; "unknown":
            it is given to something whose body is not to be seen.
        cause: what happens; decisions are made on its type and fields.
        where: its place.
        way: how it escapes: by being returned, kept in the method's own object, or elsewhere.
        sows: a value is sown or perturbed.
        flag: it happens only when this parameter of this function is true.
        field: and only when this attribute of an object of one of these classes is.
        home: the test file or notebook that defines the class whose objects it happens to, or
            the file that sets the attribute which has to be true; empty for all others.
    """

    kind: Literal["structure", "escape", "unknown"]
    cause: Cause
    where: Place
    way: Literal["", "returned", "kept in self", "kept"] = ""
    sows: bool = False
    flag: tuple[Scope, str] | None = None
    field: TestedField | None = None
    home: str = ""

    @property
    def what(self) -> str:
        """What happens in words, for people and for the order of findings."""
        return explain(self.cause)

    @property
    def told(self) -> str:
        """What happens in words, without why no more is known of it."""
        return told(self.cause)

    def as_condition_of(self, other: Effect) -> Effect:
        """Another effect, of what happens only when this does."""
        return dataclasses.replace(
            other, flag=self.flag, field=self.field, home=self.home or other.home
        )

    @property
    def collected(self) -> bool:
        """Whether `nnx.capture` takes it in, so that it never lies on the object."""
        return self.sows and not isinstance(self.cause, VariableAdded)

    @property
    def order(self) -> tuple[str, str, Place, str]:
        """By which effects are sorted, so that all runs name the same one."""
        return (self.kind, self.what, self.where, self.way)


Effects = frozenset[Effect]
NO_EFFECTS: Effects = frozenset()


@record
class Done:
    """The effects of something that is run.

    Args:
        each: those of which a caller has to know more to say what they are to it.
        whole: sets of those that no call changes, unless it stands under a test.
    """

    each: Effects = NO_EFFECTS
    whole: tuple[Effects, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.each or self.whole)

    @property
    def all(self) -> Effects:
        return self.each.union(*self.whole)


NOTHING_DONE = Done()


def parted(effects: Effects) -> Done:
    """Effects, by whether a call can change them."""
    each = frozenset([effect for effect in effects if not _stays(effect)])
    whole = effects - each if each else effects
    return Done(each, (whole,) if whole else ())


def all_done(parts: Iterable[Done]) -> Done:
    """What some things do together: a set that several have is there once."""
    found = [part for part in parts if part]
    if len(found) < 2:
        return found[0] if found else NOTHING_DONE
    whole = {id(effects): effects for part in found for effects in part.whole}
    return Done(NO_EFFECTS.union(*[part.each for part in found]), tuple(whole.values()))


def _stays(effect: Effect) -> bool:
    """Whether it is the same effect whatever call leads to it, of any object.

    Not so what depends on a test, or on the class of the object; what is kept in an object, which
    may be the caller's; what is sown or popped, which a caller may pop, and collect; and what is
    not known, which the form of the call may tell.
    """
    if effect.flag is not None or effect.field is not None or effect.home or effect.sows:
        return False
    if effect.way == "kept in self" or changes_by(effect.cause, "pop"):
        return False
    match effect.cause:
        case MethodUnknown(form=form) | CalleeUnknown(form=form):
            return form is not None
        case cause:
            return not isinstance(cause, Unseen)


def worst(effects: Iterable[Effect]) -> Effect | None:
    """The effect that decides: a known structural one before an escape before an unknown one."""
    found = [(_SEVERITY[each.kind], each.where, each) for each in effects]
    if not found:
        return None
    first = min(one[:2] for one in found)
    # To put a cause into words takes longest, and few stand at one place.
    return min((one[2] for one in found if one[:2] == first), key=lambda e: (e.what, e.way))
