"""What runs at the beginning and the end of watched functions: it counts, and says what is new.

This is in the way of the user's program, so a call whose types were seen before costs a look-up.
What is new goes to a file at once: a process may end at any moment, and in any way.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

from nnx_migrate.observe.calls import Calls
from nnx_migrate.observe.kinds import DEEP, Kind, kind_of
from nnx_migrate.observe.lines import write
from nnx_migrate.observe.looks import Look, around
from nnx_migrate.observe.objects import types_of
from nnx_migrate.observe.places import Span
from nnx_migrate.observe.watched import WatchedFunction, tell_modules
from nnx_migrate.sources.facts.observed_facts import DELETES, RUNNING_TEST


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


_functions: list[WatchedFunction] = []
#: What applies transforms, with the modes and meshes that it ran under.
_places: list[tuple[str, Span, set[tuple[str, ...]]]] = []
#: Of these something could not be written down when it happened.
_failed: list[WatchedFunction] = []
_calls: dict[tuple[int, tuple[Kind, ...]], Calls] = {}


def number_of(file: str, path: str, parameters: tuple[str, ...], *, own: bool = False) -> int:
    """Gives a function the number that it tells its calls by.

    Args:
        file: its file, from the root.
        path: its name in it.
        parameters: those that it tells.
        own: whether the first one is the object of a method.
    """
    _functions.append(WatchedFunction(file, path, parameters, own))
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


def number_of_place(file: str, span: Span) -> int:
    """Gives what applies a transform the number that it tells by that it runs.

    Args:
        file: its file, from the root.
        span: where it stands in it.
    """
    _places.append((file, span, set()))
    with contextlib.suppress(Exception):
        write({"file": file, "span": span, "ran": False})
    return len(_places) - 1


def runs(number: int) -> None:
    """Takes note that something that applies a transform runs, and under which modes and meshes.

    Args:
        number: of it.
    """
    file, span, known = _places[number]
    with contextlib.suppress(Exception):
        now = around()
        if now not in known:
            known.add(now)
            write({"file": file, "span": span, "ran": True, "around": now})


def seen(number: int, values: tuple[Any, ...]) -> Look | None:
    """Takes note of a call.

    Args:
        number: of the function.
        values: of its parameters.

    Returns:
        What `left` is to be given when the call ends.
    """
    types: tuple[Kind, ...] = types_of(values)
    if not DEEP.isdisjoint(types):
        # Another thread may change a container meanwhile: then nothing is known of what is in it.
        try:
            both = zip(values, types, strict=True)
            types = tuple([kind_of(value) if kind in DEEP else kind for value, kind in both])
        except RuntimeError:
            types = types_of(values)
    calls = _calls.get((number, types))
    if calls is None:
        calls = _calls[number, types] = Calls()
        with _telling(_functions[number]):
            _functions[number].tell_types(types)
    look = None
    try:
        if calls.count(values):
            look = _functions[number].look_into(values)
        if calls.lost:
            _functions[number].tell_unseen(calls.lost)
            calls.lost = ()
    except Exception:
        _failed.append(_functions[number])
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
    return result if look is None else _compared(look, look.end, result)


def gives(look: Look | None, value: Any = None) -> Any:
    """Takes note that a generator gives something away and stops, and gives that back.

    Args:
        look: what `seen` gave.
        value: what is given away.
    """
    return value if look is None else _compared(look, look.stop, value)


def hands_over(look: Look | None, others: Any) -> Any:
    """Takes note that a generator stops while another one gives things away for it.

    Args:
        look: what `seen` gave.
        others: that one, or what else is given away piece by piece; it is given back.
    """
    return others if look is None else _compared(look, look.stop_for, others)


def waits(look: Look | None, others: Any) -> Any:
    """Takes note that a coroutine stops while another one works for it.

    Args:
        look: what `seen` gave.
        others: what is awaited; it is given back.
    """
    return others if look is None else _compared(look, look.stop_to_wait, others)


def goes_on(look: Look | None, sent: Any) -> Any:
    """Takes note that a call goes on, and gives back what it was sent.

    Args:
        look: what `seen` gave.
        sent: that.
    """
    return sent if look is None else _compared(look, look.go_on, sent)


def _compared(look: Look, step: Callable[[object], None], given: Any) -> Any:
    """Takes a step of a look, and gives back what the program goes on with."""
    try:
        step(given)
    except Exception:
        with contextlib.suppress(Exception):
            look.give_up()
    return given


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
        with _telling(function):
            function.tell_ran()
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
        with _telling(function):
            function.tell_ran()


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


@contextlib.contextmanager
def _telling(function: WatchedFunction) -> Iterator[None]:
    """What is told of a function. A program must not end because it is watched."""
    try:
        yield
    except Exception:
        _failed.append(function)


@atexit.register
def _tell_rest() -> None:
    for (number, _), calls in list(_calls.items()):
        tests = {_decoded(each).rpartition(" (")[0] for each in calls.tests if each is not None}
        _functions[number].tell_calls(calls.number, sorted(tests))
    for function in _functions:
        function.tell_rest()
    for function in _failed:
        function.tell_nothing_known()
    tell_modules()
