"""What a session was asked for: programs that no chosen test looks at need not be run."""

from __future__ import annotations

from collections.abc import Collection
from typing import TypeVar

import pytest

Value = TypeVar("Value")


def chosen(session: pytest.Session, argument: str, values: Collection[Value]) -> list[Value]:
    """Those of the values that a chosen test is given that runs jax.

    Args:
        session: with all its tests, also those that another worker runs.
        argument: the parameter of the tests.
        values: all that it may be.
    """
    asked = [
        item.callspec.params.get(argument)
        for item in session.items
        if isinstance(item, pytest.Function)
        and hasattr(item, "callspec")
        and item.get_closest_marker("runs_jax")
    ]
    return [value for value in values if value in asked]
