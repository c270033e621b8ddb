"""A call that can be made again, and what becomes of it."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from nnx_migrate.check.forms import Observation
from nnx_migrate.check.leaves import view_of


@dataclasses.dataclass(frozen=True, slots=True)
class Call:
    """A callable with what it is called with.

    Args:
        function: anything callable: a function, what a transform returned, a Module.
        arguments: its positional arguments.
        keywords: its keyword arguments.
        returns_driver: the callable drives the whole program by itself and its result alone
            counts: it is run, never traced.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()
    keywords: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    returns_driver: bool = False


def observe(call: Call) -> Observation:
    """Makes a call as the user's own code would, and looks at all that came of it.

    Args:
        call: it is made once; its arguments are changed as it changes them.
    """
    # Unseeded draws of the user's code would differ from run to run on one side already.
    random.seed(0)
    np.random.seed(0)
    try:
        result = call.function(*call.arguments, **call.keywords)
        view = view_of(result if call.returns_driver else outcome(call, result))
    except (Exception, SystemExit) as error:
        return Observation(None, type(error).__name__, str(error))
    return Observation(view)


def outcome(call: Call, result: object) -> dict[str, object]:
    """All that a caller can see after a call: its result, and the arguments, changed or not.

    Args:
        call: the call that was made.
        result: what it returned.
    """
    seen: dict[str, object] = {"result": result}
    if call.arguments:
        seen["arguments"] = call.arguments
    if call.keywords:
        seen["keywords"] = dict(call.keywords)
    return seen
