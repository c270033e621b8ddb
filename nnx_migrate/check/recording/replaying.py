"""Recorded calls made again."""

from __future__ import annotations

import dataclasses
import functools
import inspect
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy

from nnx_migrate.check.cases.calls import Call
from nnx_migrate.check.compare.comparison import compare
from nnx_migrate.check.compare.forms import Observation
from nnx_migrate.check.compare.placements import unplaced
from nnx_migrate.check.jobs import Side
from nnx_migrate.check.recording.meshes import within_meshes
from nnx_migrate.check.recording.products import product_of
from nnx_migrate.check.recording.store import StoredCall, read_call, recorded_observation
from nnx_migrate.check.recording.unpacking import Reader, module_of, unpacked
from nnx_migrate.check.worker.module_state import without_changes


def recorded_call(recording: Path, number: int, side: Side, *, numbers: bool = True) -> Call:
    """Builds a recorded call on one side; the function's file is imported for it.

    Args:
        recording: the file.
        number: of the call.
        side: the tree that gives the function and the classes of its arguments.
        numbers: make numbers up for arguments of which only the shapes are known; else they are
            `jax.ShapeDtypeStruct`s, and the call can be traced only.

    Raises:
        LookupError: there is no such call.
        Exception: whatever the user's code raises, an AttributeError where the function is gone.
    """
    stored = read_call(recording, number)
    _resume(stored, side)
    reader = Reader(side, stored.path, numbers)
    function = _function(stored, reader, stored.name)
    arguments, keywords = unpacked(stored.arguments, reader)
    return Call(
        function, arguments, keywords, within=functools.partial(within_meshes, stored.meshes)
    )


def _function(stored: StoredCall, reader: Reader, name: str) -> Callable[..., Any]:
    if name.rpartition("()")[1]:
        assert stored.made is not None
        maker = _function(stored, reader, name.rpartition("()")[0])
        arguments, keywords = unpacked(stored.made, reader)
        found: Callable[..., Any] = product_of(maker(*arguments, **keywords), name)
        return found
    owner: Any = module_of(reader, stored.path, stored.module)
    *scopes, last = name.split(".")
    for scope in scopes:
        owner = getattr(owner, scope)
    function = inspect.getattr_static(owner, last) if isinstance(owner, type) else None
    if isinstance(function, (staticmethod, classmethod)):
        # The class is among the recorded arguments.
        unbound: Callable[..., Any] = function.__func__
        return unbound
    found_on: Callable[..., Any] = function if callable(function) else getattr(owner, last)
    return found_on


def unlike_recorded(recording: Path, number: int, called: Observation) -> str:
    """Says why a call that was made again stands for nothing.

    Args:
        recording: the file.
        number: of the call.
        called: what came of it on the old side.

    Returns:
        "" where it raised the same or returned the same as in the user's own run.

    Raises:
        LookupError: there is no such call.
    """
    recorded = recorded_observation(recording, number)
    if recorded is None:
        made_up = read_call(recording, number).kept != "values"
        numbers = "on made-up numbers" if made_up else "repeated,"
        return called.raised and f"{numbers} it raises {called.raised}: {called.message}"[:500]
    if recorded.raised != called.raised:
        again = f"raises {called.raised}: {called.message}" if called.raised else "returns"
        before = f"raised {recorded.raised}" if recorded.raised else "returned"
        return f"the recorded call {before}, but repeated it {again}"[:500]
    # Recorded arrays are on one device when the call is made again.
    called, recorded = (
        dataclasses.replace(each, view=each.view and unplaced(each.view))
        for each in (dataclasses.replace(called, view=without_changes(called.view)), recorded)
    )
    apart = compare(recorded, called).different
    why = "repeated, the call gives another result, so it depends on more than its arguments"
    return f"{why}: {apart}"[:500] if apart is not None and not called.raised else ""


def _resume(stored: StoredCall, side: Side) -> None:
    # Unseeded draws at import would differ between the sides.
    random.seed(0)
    numpy.random.seed(0)
    # For good: the function may read the command line and import only when it is called.
    sys.argv = list(stored.argv)
    root = side.root if side.root.is_dir() else side.root.parent
    wanted = [str(root / path) if path != "." else str(root) for path in stored.import_paths]
    sys.path[:0] = [path for path in wanted if path not in sys.path]
