"""What runs at the beginning of every watched function: it counts, and says what is new.

This is in the way of the user's program, so a call whose types were seen before costs a look-up.
What is new goes to a file at once: a process may end at any moment, and in any way.
"""

from __future__ import annotations

import atexit
import contextlib
import enum
import functools
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from nnx_migrate.check.recording.kinds import is_array
from nnx_migrate.check.recording.settings import VARIABLE
from nnx_migrate.sources.observed_facts import ARRAY, IN_FILE, NONE, OTHER, PLAIN, RUNNING_TEST

_PLAIN_TYPES = (bool, int, float, complex, str, bytes, enum.Enum)


class _Watched(NamedTuple):
    """A function, and the names of the parameters that it tells."""

    file: str
    path: str
    parameters: tuple[str, ...]


class _Calls:
    """How often a function was called with such types, and in which tests."""

    def __init__(self) -> None:
        self.number = 0
        self.tests: set[str] = set()


_functions: list[_Watched] = []
_calls: dict[tuple[int, tuple[type, ...]], _Calls] = {}


def number_of(file: str, path: str, parameters: tuple[str, ...]) -> int:
    """Gives a function the number that it tells its calls by.

    Args:
        file: its file, from the root.
        path: its name in it.
        parameters: those that it tells.
    """
    _functions.append(_Watched(file, path, parameters))
    return len(_functions) - 1


def seen(number: int, values: tuple[Any, ...]) -> None:
    """Takes note of a call.

    Args:
        number: of the function.
        values: of its parameters.
    """
    types = tuple(map(type, values))
    calls = _calls.get((number, types))
    if calls is None:
        calls = _calls[number, types] = _Calls()
        # A program must not end because it is watched.
        with contextlib.suppress(Exception):
            _tell_new(_functions[number], types)
    calls.number += 1
    test = os.environ.get(RUNNING_TEST)
    if test is not None:
        calls.tests.add(test.rpartition(" (")[0])


def _tell_new(function: _Watched, types: Sequence[type]) -> None:
    told = dict(zip(function.parameters, map(_described, types), strict=True))
    _write({"file": function.file, "path": function.path, "parameters": told})


@atexit.register
def _tell_numbers() -> None:
    for (number, _), calls in list(_calls.items()):
        function = _functions[number]
        line = {"file": function.file, "path": function.path, "calls": calls.number}
        _write({**line, "tests": sorted(calls.tests)})


def _write(line: dict[str, Any]) -> None:
    folder = Path(str(_settings()["folder"]))
    # Of a process of its own: what is forked from this one has another number.
    with open(folder / f"{os.getpid()}.jsonl", "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


@functools.cache
def _settings() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(os.environ[VARIABLE]).read_text())
    return found


@functools.cache
def _described(kind: type) -> str:
    """A type, as facts name it."""
    if kind is type(None):
        return NONE
    if issubclass(kind, _PLAIN_TYPES):
        return PLAIN
    if is_array(kind):
        return ARRAY
    family = kind.__module__.partition(".")[0]
    if family == "flax":
        nnx = sys.modules.get("flax.nnx")
        return f"flax.nnx.{kind.__name__}" if getattr(nnx, kind.__name__, None) is kind else OTHER
    module = sys.modules.get(kind.__module__)
    file = _settings()["touched"].get(os.path.realpath(getattr(module, "__file__", None) or ""))
    return f"{file}{IN_FILE}{kind.__name__}" if file is not None else OTHER
