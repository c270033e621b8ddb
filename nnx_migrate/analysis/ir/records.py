"""How the classes of facts are made."""

from __future__ import annotations

import dataclasses
import typing

T = typing.TypeVar("T")


@typing.dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def record(cls: type[T]) -> type[T]:
    """Make a class a frozen dataclass with slots.

    The type checker sees to its being frozen. At run time it is not: that would make each of the
    hundreds of thousands that a run makes four times as dear.
    """
    return dataclasses.dataclass(slots=True, unsafe_hash=True)(cls)


@typing.dataclass_transform(frozen_default=True, field_specifiers=(dataclasses.field,))
def linked_record(cls: type[T]) -> type[T]:
    """Make a class the same, which inherits its `__hash__`."""
    inherited = cls.__hash__
    made = dataclasses.dataclass(slots=True, eq=True)(cls)
    # A dataclass that compares would have none.
    made.__hash__ = inherited  # type: ignore[method-assign]
    return made
