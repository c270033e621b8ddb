"""What runs at the beginning and the end of watched functions: it counts, and says what is new.

This is in the way of the user's program, so a call whose types were seen before costs a look-up.
What is new goes to a file at once: a process may end at any moment, and in any way.
"""

from __future__ import annotations

import atexit
import contextlib
import dataclasses
import functools
import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nnx_migrate.check.recording.compiling import plain_settings
from nnx_migrate.observe.kinds import DEEP, Kind, described, kind_of, named
from nnx_migrate.observe.looks import Look, around, begun
from nnx_migrate.sources.facts.observed_facts import DELETES, IN_FILE, RUNNING_TEST
from nnx_migrate.sources.facts.seen_objects import SeenObject


@dataclasses.dataclass(slots=True)
class _Watched:
    """A function.

    Args:
        file: its file, from the root.
        path: its name in it.
        parameters: the names of those that it tells.
        own: whether the first one is the object of a method, of which the type is not told.
        sows: which calls of `sow` and `perturb` in it ran.
        changes: of each of its lines that writes attributes, what it did.
        closed_over: the names that it reads from functions around it.
        around: modes and meshes that it ran under.
    """

    file: str
    path: str
    parameters: tuple[str, ...]
    own: bool
    sows: list[bool] = dataclasses.field(default_factory=list)
    changes: list[set[str]] = dataclasses.field(default_factory=list)
    closed_over: tuple[str, ...] | None = None
    around: set[str] = dataclasses.field(default_factory=set)

    def line(self, **more: Any) -> dict[str, Any]:
        """A line of the file."""
        return {"file": self.file, "path": self.path, **more}

    def ran(self) -> dict[str, Any]:
        """What ran of it, for its line in the file."""
        changes = [sorted(each) for each in self.changes]
        found = {"sows": self.sows, "changes": changes}
        return {name: each for name, each in found.items() if each}


class _Calls:
    """How often a function was called with such types, and in which tests.

    The tests are as the environment holds them, and the last one is remembered: pytest says which
    one runs three times a test, and functions are called much more often.
    """

    def __init__(self) -> None:
        self.number = 0
        self.test: object = None
        self.tests: set[object] = set()


def _reading(name: str) -> tuple[Callable[[], object], Callable[[Any], str]]:
    """What gives a variable of the environment, or None, and what makes a text of that.

    `os.environ` encodes the name anew at each call, which takes longer than all else here.
    """
    kept, encode = getattr(os.environ, "_data", None), getattr(os.environ, "encodekey", None)
    decode = getattr(os.environ, "decodevalue", None)
    if type(kept) is dict and encode is not None and decode is not None:
        return functools.partial(kept.get, encode(name)), decode
    return functools.partial(os.environ.get, name), str


_running_test, _decoded = _reading(RUNNING_TEST)


class _Unbound:
    """Stands for a name that is not bound yet."""


_functions: list[_Watched] = []
#: The statements that apply transforms, and those of them that have not run.
_places: list[tuple[str, tuple[int, int]]] = []
_never: set[int] = set()
_calls: dict[tuple[int, tuple[Kind, ...]], _Calls] = {}


def number_of(file: str, path: str, parameters: tuple[str, ...], *, own: bool = False) -> int:
    """Gives a function the number that it tells its calls by.

    Args:
        file: its file, from the root.
        path: its name in it.
        parameters: those that it tells.
        own: whether the first one is the object of a method.
    """
    _functions.append(_Watched(file, path, parameters, own))
    return len(_functions) - 1


def may_run(number: int, *, sows: int, changes: int) -> None:
    """Says what of a function may run, or not.

    Args:
        number: of the function.
        sows: how many calls of `sow` and `perturb` stand in it.
        changes: how many of its lines write attributes.
    """
    function = _functions[number]
    function.sows.extend([False] * sows)
    function.changes.extend(set() for _ in range(changes))


def place_of(file: str, lines: tuple[int, int]) -> int:
    """Gives a statement that applies a transform the number that it tells by that it runs.

    Args:
        file: its file, from the root.
        lines: those that it begins and ends on.
    """
    _places.append((file, lines))
    _never.add(len(_places) - 1)
    with contextlib.suppress(Exception):
        _write({"file": file, "lines": lines, "ran": False})
    return len(_places) - 1


def runs(number: int) -> None:
    """Takes note that a statement runs.

    Args:
        number: of the statement.
    """
    if number in _never:
        _never.discard(number)
        with contextlib.suppress(Exception):
            file, lines = _places[number]
            _write({"file": file, "lines": lines, "ran": True})


def seen(number: int, values: tuple[Any, ...]) -> Look | None:
    """Takes note of a call.

    Args:
        number: of the function.
        values: of its parameters.

    Returns:
        What `left` is to be given when the call ends.
    """
    types: tuple[Kind, ...] = tuple(map(type, values))
    if not DEEP.isdisjoint(types):
        # Another thread may change a container meanwhile: then nothing is known of what is in it.
        try:
            both = zip(values, types, strict=True)
            types = tuple([kind_of(value) if kind in DEEP else kind for value, kind in both])
        except RuntimeError:
            types = tuple(map(type, values))
    calls = _calls.get((number, types))
    if calls is None:
        calls = _calls[number, types] = _Calls()
        # A program must not end because it is watched.
        with contextlib.suppress(Exception):
            _tell_new(_functions[number], types)
    calls.number += 1
    look = None
    if calls.number & (calls.number - 1) == 0:  # the first calls, and ever fewer
        with contextlib.suppress(Exception):
            look = _look_into(_functions[number], values)
    test = _running_test()
    if test is not calls.test:
        calls.test = test
        calls.tests.add(test)
    return look


def seen_inside(number: int, values: tuple[Any, ...]) -> Look | None:
    """Takes note of a call of a function that is defined in another one.

    Args:
        number: of the function.
        values: of its parameters.

    Returns:
        What `left` is to be given when the call ends.
    """
    frame = sys._getframe(1)
    names = frame.f_code.co_freevars
    if not names:
        return seen(number, values)
    function = _functions[number]
    if function.closed_over is None:
        function.closed_over = names
    known = frame.f_locals
    return seen(number, (*values, *(known.get(name, _Unbound) for name in names)))


def left(look: Look | None, result: Any = None) -> Any:
    """Takes note of the end of a call, and gives its result back.

    Args:
        look: what `seen` gave.
        result: what the call returns.
    """
    if look is not None:
        with contextlib.suppress(Exception):
            look.end(result)
    return result


def sows(number: int, place: int, method: Any) -> Any:
    """Takes note that a call of `sow` runs, and gives the method back.

    Args:
        number: of the function that it stands in.
        place: which one of that function it is.
        method: what is called.
    """
    function = _functions[number]
    if not function.sows[place]:
        function.sows[place] = True
        with contextlib.suppress(Exception):
            _tell_ran(function)
    return method


def changes(owner: Any, number: int, place: int, how: str, name: str) -> None:
    """Takes note of what a statement is about to do to an attribute.

    Args:
        owner: whose it is; None where that is not known before.
        number: of the function that it stands in.
        place: which of its lines that write attributes it is on.
        how: whether it sets or deletes.
        name: of the attribute.
    """
    told = name if owner is None else _change(owner, how, name)
    function = _functions[number]
    if told not in function.changes[place]:
        function.changes[place].add(told)
        with contextlib.suppress(Exception):
            _tell_ran(function)


def _change(owner: Any, how: str, name: str) -> str:
    if how == DELETES:
        return f"{name} deleted"
    try:
        held = owner.__dict__
    except Exception:  # it has none, or is asked by code of its own
        return name
    if type(held) is not dict:
        return name
    return f"{name} replaced" if name in held else f"{name} made"


def _tell_ran(function: _Watched) -> None:
    _write(function.line(**function.ran()))


def _look_into(function: _Watched, values: tuple[Any, ...]) -> Look | None:
    """Begins to look at the objects of a call, and tells of Modules that hold something twice."""
    nnx: Any = sys.modules.get("flax.nnx")
    if nnx is None:
        return None
    for value in values[function.own : len(function.parameters)]:
        kind: type = type(value)
        file, _, name = named(kind).rpartition(IN_FILE)
        if file and isinstance(value, nnx.Module):
            try:
                sharing = bool(nnx.find_duplicates(value))
            except Exception:
                sharing = True  # it cannot be said
            _write({"file": file, "class": name, "sharing": sharing})
    now = frozenset(around())
    if not now <= function.around:
        function.around |= now
        _write(function.line(around=sorted(now)))
    names = (*function.parameters, *(function.closed_over or ()))
    return begun(names, values, functools.partial(_tell_objects, function))


def _tell_objects(function: _Watched, found: Mapping[str, SeenObject]) -> None:
    told = {name: seen.as_json() for name, seen in found.items()}
    _write(function.line(objects=told))


def _tell_new(function: _Watched, types: Sequence[Kind]) -> None:
    told = [sorted(set(described(each))) for each in types]
    given = dict(zip(function.parameters, told, strict=False))
    if function.own:
        del given[function.parameters[0]]
    inside = dict(zip(function.closed_over or (), told[len(function.parameters) :], strict=True))
    more = {"closed_over": inside} if inside else {}
    _write(function.line(parameters=given, **more, **function.ran()))


@atexit.register
def _tell_numbers() -> None:
    for (number, _), calls in list(_calls.items()):
        function = _functions[number]
        tests = {_decoded(each).rpartition(" (")[0] for each in calls.tests if each is not None}
        _write(function.line(calls=calls.number, tests=sorted(tests)))


def _write(line: dict[str, Any]) -> None:
    folder = Path(str(plain_settings()["folder"]))
    # Of a process of its own: what is forked from this one has another number. The line goes there
    # at once, so that those of several threads stay apart.
    file = os.open(folder / f"{os.getpid()}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, json.dumps(line).encode() + b"\n")
    finally:
        os.close(file)
