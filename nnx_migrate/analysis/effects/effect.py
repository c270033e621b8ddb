"""What happens to an object that a function is given, as a record, and which of them decides."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Literal

from nnx_migrate.analysis.domain.values import Scope
from nnx_migrate.analysis.effects.causes import Cause, VariableAdded, explain, told
from nnx_migrate.analysis.ir import nodes as ir
from nnx_migrate.analysis.ir.records import linked_record
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


def worst(effects: Iterable[Effect]) -> Effect | None:
    """The effect that decides: a known structural one before an escape before an unknown one."""
    found = [(_SEVERITY[each.kind], each.where, each) for each in effects]
    if not found:
        return None
    first = min(one[:2] for one in found)
    # To put a cause into words takes longest, and few stand at one place.
    return min((one[2] for one in found if one[:2] == first), key=lambda e: (e.what, e.way))
