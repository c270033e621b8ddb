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
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from nnx_migrate.check.recording.compiling import plain_settings
from nnx_migrate.check.recording.kinds import is_array
from nnx_migrate.sources.observed_facts import (
    ARRAY,
    BOUND,
    DELETES,
    FUNCTION,
    IN_CONTAINER,
    IN_FILE,
    KEYWORD,
    NONE,
    OFF,
    ON,
    OTHER,
    PLAIN,
    RUNNING_TEST,
)


class Keywords(frozenset[str]):
    """The names of the keywords that a function takes in one parameter."""

    __slots__ = ()


#: Types that say too little: a function is told by its code, a container by what it holds.
_DEEP = frozenset({FunctionType, MethodType, list, tuple, dict, bool, Keywords})
#: Of the flags in a container nobody knows which is which.
_DEEP_IN_CONTAINERS = _DEEP - {bool}
#: What is larger, or lies deeper, is not looked through at every call.
_MOST_ELEMENTS = 64
_DEEPEST = 3
_PLAIN_TYPES = (bool, int, float, complex, str, bytes, enum.Enum)


class _Watched(NamedTuple):
    """A function.

    Args:
        file: its file, from the root.
        path: its name in it.
        parameters: the names of those that it tells.
        sows: which calls of `sow` and `perturb` in it ran.
        changes: of each of its lines that writes attributes, what it did.
    """

    file: str
    path: str
    parameters: tuple[str, ...]
    sows: list[bool]
    changes: list[set[str]]

    def ran(self) -> dict[str, Any]:
        """What ran of it, for its line in the file."""
        changes = [sorted(each) for each in self.changes]
        found = {"sows": self.sows, "changes": changes}
        return {name: each for name, each in found.items() if each}


class _Bound(NamedTuple):
    """A method that is bound, by its code."""

    code: CodeType


class _Held(NamedTuple):
    """A container, by what it holds."""

    kinds: frozenset[_Kind]


class _Flag(NamedTuple):
    """True or False, by which of the two it is: whether a flag is set decides what runs."""

    name: str


#: What is told of a value.
_Kind = type | CodeType | _Bound | _Held | _Flag | Keywords
_FLAGS = {True: _Flag(ON), False: _Flag(OFF)}


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


#: The notebooks of what cells are called where they are compiled, and of the classes in them.
_cells: dict[str, str] = {}
_classes: dict[str, str] = {}
_functions: list[_Watched] = []
_calls: dict[tuple[int, tuple[_Kind, ...]], _Calls] = {}


def number_of(file: str, path: str, parameters: tuple[str, ...]) -> int:
    """Gives a function the number that it tells its calls by.

    Args:
        file: its file, from the root.
        path: its name in it.
        parameters: those that it tells.
    """
    _functions.append(_Watched(file, path, parameters, [], []))
    return len(_functions) - 1


def of_cell(notebook: str, file: str, classes: Iterable[str]) -> None:
    """Says which notebook a cell is of.

    Args:
        notebook: its name, from the root.
        file: what the cell is called where it is compiled.
        classes: those that it defines.
    """
    _cells[file] = notebook
    _classes.update(dict.fromkeys(classes, notebook))


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


def seen(number: int, values: tuple[Any, ...]) -> None:
    """Takes note of a call.

    Args:
        number: of the function.
        values: of its parameters.
    """
    types: tuple[_Kind, ...] = tuple(map(type, values))
    if not _DEEP.isdisjoint(types):
        # Another thread may change a container meanwhile: then nothing is known of what is in it.
        try:
            both = zip(values, types, strict=True)
            types = tuple([_kind(value) if kind in _DEEP else kind for value, kind in both])
        except RuntimeError:
            types = tuple(map(type, values))
    calls = _calls.get((number, types))
    if calls is None:
        calls = _calls[number, types] = _Calls()
        # A program must not end because it is watched.
        with contextlib.suppress(Exception):
            _tell_new(_functions[number], types)
    calls.number += 1
    if calls.number & (calls.number - 1) == 0:  # the first calls, and ever fewer
        with contextlib.suppress(Exception):
            _look_into(values)
    test = _running_test()
    if test is not calls.test:
        calls.test = test
        calls.tests.add(test)


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
    _write({"file": function.file, "path": function.path, **function.ran()})


def _look_into(values: tuple[Any, ...]) -> None:
    """Tells of Modules of the project whether they hold something in two places."""
    nnx: Any = sys.modules.get("flax.nnx")
    for value in values if nnx is not None else ():
        kind: type = type(value)
        file, _, name = _of_type(kind).rpartition(IN_FILE)
        if file and isinstance(value, nnx.Module):
            try:
                sharing = bool(nnx.find_duplicates(value))
            except Exception:
                sharing = True  # it cannot be said
            _write({"file": file, "class": name, "sharing": sharing})


def _kind(value: Any, depth: int = 0) -> _Kind:
    kind = type(value)
    if kind is bool:
        return _FLAGS[value]
    if kind is Keywords:
        named: Keywords = value
        return named if len(named) <= _MOST_ELEMENTS else kind
    if kind is FunctionType:
        code: CodeType = value.__code__
        return code
    if kind is MethodType:
        bound = getattr(value.__func__, "__code__", None)
        return kind if bound is None else _Bound(bound)
    if kind not in _DEEP or depth == _DEEPEST or len(value) > _MOST_ELEMENTS:
        return kind
    held = value.values() if kind is dict else value
    types = frozenset(map(type, held))
    if types.isdisjoint(_DEEP_IN_CONTAINERS):
        return _Held(types)
    deep = (_kind(each, depth + 1) for each in held)
    return _Held(frozenset(bool if isinstance(each, _Flag) else each for each in deep))


def _tell_new(function: _Watched, types: Sequence[_Kind]) -> None:
    described = (sorted(set(_described(each))) for each in types)
    told = dict(zip(function.parameters, described, strict=True))
    line = {"file": function.file, "path": function.path, "parameters": told}
    _write(line | function.ran())


@atexit.register
def _tell_numbers() -> None:
    for (number, _), calls in list(_calls.items()):
        function = _functions[number]
        line = {"file": function.file, "path": function.path, "calls": calls.number}
        tests = {_decoded(each).rpartition(" (")[0] for each in calls.tests if each is not None}
        _write({**line, "tests": sorted(tests)})


def _write(line: dict[str, Any]) -> None:
    folder = Path(str(plain_settings()["folder"]))
    # Of a process of its own: what is forked from this one has another number. The line goes there
    # at once, so that those of several threads stay apart.
    file = os.open(folder / f"{os.getpid()}.jsonl", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, json.dumps(line).encode() + b"\n")
    finally:
        os.close(file)


def _described(kind: _Kind) -> Iterator[str]:
    """A value, as facts name it."""
    match kind:
        case _Held(kinds):
            held = {told for each in kinds for told in _described(each)}
            yield from (f"{IN_CONTAINER}{told}" for told in held or {PLAIN})
        case _Bound(code):
            yield _of_code(code, BOUND)
        case _Flag(name):
            yield name
        case Keywords():
            yield from (f"{KEYWORD}{name}" for name in kind)
        case CodeType():
            yield _of_code(kind, FUNCTION)
        case _:
            yield _of_type(kind)


def _of_code(code: CodeType, what: str) -> str:
    file = _cells.get(code.co_filename)
    if file is None:
        file = plain_settings()["touched"].get(os.path.realpath(code.co_filename))
    path = code.co_qualname.replace(".<locals>", "")
    return OTHER if file is None else f"{file}{IN_FILE}{path}{what}"


@functools.cache
def _of_type(kind: type) -> str:
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
    if kind.__module__ == "__main__" and kind.__name__ in _classes:
        return f"{_classes[kind.__name__]}{IN_FILE}{kind.__name__}"
    module = sys.modules.get(kind.__module__)
    file = plain_settings()["touched"].get(
        os.path.realpath(getattr(module, "__file__", None) or "")
    )
    return f"{file}{IN_FILE}{kind.__name__}" if file is not None else OTHER
