"""A call that can be made again."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nnx_migrate.check.branches.traced import Conditions
    from nnx_migrate.check.worker.written import OwnTree


@dataclasses.dataclass(frozen=True, slots=True)
class Home:
    """Where the modules lie that a call may change.

    Args:
        root: of the side.
        program: the file in it that a case file's `program` stands for; "" for none.
    """

    root: Path
    program: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """A callable with what it is called with.

    Args:
        function: anything callable: a function, what a transform returned, a Module.
        arguments: its positional arguments.
        keywords: its keyword arguments.
        returns_driver: the callable drives the whole program by itself and its result alone
            counts: it is run, never traced.
        within: sets what was set around it, a mesh.
        home: whose modules it may change; None where that is not looked at.
        tree: the copy of the user's tree that it may write to; None likewise.
        conditions: take down which ways it takes in traced code; None likewise.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    returns_driver: bool = False
    within: Callable[[], AbstractContextManager[None]] = contextlib.nullcontext
    home: Home | None = None
    tree: OwnTree | None = None
    conditions: Conditions | None = None


def failure(error: BaseException) -> str:
    """An exception of the user's code, `SystemExit` and `KeyboardInterrupt` among them, in a line.

    Args:
        error: what was raised.

    Raises:
        MemoryError: it is one, which says nothing about the code.
    """
    if isinstance(error, MemoryError):
        raise error
    return f"{type(error).__name__}: {error}"[:500]


def outcome(call: Call, result: object) -> dict[str, object]:
    """All that a caller can see after a call: its result, and the arguments, changed or not.

    Args:
        call: the call that was made.
        result: what it returned.
    """
    return {"result": result, **given(call)}


def given(call: Call) -> dict[str, object]:
    """The arguments of a call, by how they are given.

    Args:
        call: the call.
    """
    seen: dict[str, object] = {}
    if call.arguments:
        seen["arguments"] = call.arguments
    if call.keywords:
        seen["keywords"] = dict(call.keywords)
    return seen
