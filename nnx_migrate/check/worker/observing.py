"""A call made as the user's own code makes it, and all that came of it."""

from __future__ import annotations

import random

import numpy as np

from nnx_migrate.check.cases.calls import Call, given, outcome
from nnx_migrate.check.compare.forms import Form, Observation, View
from nnx_migrate.check.compare.leaves import view_of
from nnx_migrate.check.worker.module_state import changed, module_state, with_changes
from nnx_migrate.check.worker.written import with_files


def observe(call: Call) -> Observation:
    """Makes a call as the user's own code would, and looks at all that came of it.

    Args:
        call: it is made once; its arguments are changed as it changes them.

    Raises:
        MemoryError: there was not enough, which says nothing about the call.
    """
    # Unseeded draws of the user's code would differ from run to run on one side already.
    random.seed(0)
    np.random.seed(0)
    before = module_state(call.home)
    tree = call.tree.state() if call.tree is not None else {}

    def written() -> Form:
        if call.tree is None:
            return {}
        found = call.tree.written(tree)
        # It is made again, under jit.
        call.tree.put_back(tree)
        return found

    try:
        result = call.function(*call.arguments, **call.keywords)
        view = view_of(result if call.returns_driver else outcome(call, result))
    except MemoryError:
        raise
    except BaseException as error:
        # SystemExit and KeyboardInterrupt of a case are results as others are.
        if str(error).startswith("RESOURCE_EXHAUSTED"):
            raise MemoryError(str(error)) from error
        left = with_files(_left(call), written())
        return Observation(None, type(error).__name__, str(error), left)
    changes = changed(before, module_state(call.home))
    return Observation(with_files(with_changes(view, changes), written()))


def _left(call: Call) -> View | None:
    """What an exception left of the arguments."""
    try:
        return view_of(given(call))
    except Exception:
        # What it left half done may be no value any more.
        return None
