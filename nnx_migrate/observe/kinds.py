"""What is told of a value: its type, what function it is, what it holds. Never the value itself."""

from __future__ import annotations

import enum
import functools
import os
import sys
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType, MethodType
from typing import Any, NamedTuple

from nnx_migrate.check.recording.compiling import plain_settings
from nnx_migrate.check.recording.kinds import is_array
from nnx_migrate.observe.objects import DEEPEST, MOST_ELEMENTS, ordinary, types_of
from nnx_migrate.sources.facts.observed_facts import (
    ARRAY,
    BOUND,
    DEFAULT,
    FUNCTION,
    IN_CONTAINER,
    IN_FILE,
    KEYWORD,
    NONE,
    OFF,
    ON,
    OTHER,
    PLAIN,
)


class Keywords(frozenset[str]):
    """The names of the keywords that a function takes in one parameter."""

    __slots__ = ()


class Default:
    """Stands for a parameter that is what it is when nobody passes it, and counts as false."""


_DEFAULT = Default()


def or_default(value: Any, default: object) -> Any:
    """A value, or what stands for the default of its parameter.

    Args:
        value: what the parameter got.
        default: that of the parameter, a number or a text.
    """
    return _DEFAULT if type(value) is type(default) and value == default else value


#: Types that say too little: a function is told by its code, a container by what it holds.
DEEP = frozenset({FunctionType, MethodType, list, tuple, dict, bool, Keywords})
#: Of the flags in a container nobody knows which is which.
_DEEP_IN_CONTAINERS = DEEP - {bool}
PLAIN_TYPES = (bool, int, float, complex, str, bytes, enum.Enum)


class _Bound(NamedTuple):
    """A method that is bound, by its code."""

    code: CodeType


class _Held(NamedTuple):
    """A container, by what it holds."""

    kinds: frozenset[Kind]


class _Flag(NamedTuple):
    """True or False, by which of the two it is: whether a flag is set decides what runs."""

    name: str


#: What is told of a value.
Kind = type | CodeType | _Bound | _Held | _Flag | Keywords
_FLAGS = {True: _Flag(ON), False: _Flag(OFF)}


#: The notebooks of what cells are called where they are compiled, and of the classes in them.
_cells: dict[str, str] = {}
_classes: dict[str, str] = {}


def of_cell(notebook: str, file: str, classes: Iterable[str]) -> None:
    """Says which notebook a cell is of.

    Args:
        notebook: its name, from the root.
        file: what the cell is called where it is compiled.
        classes: those that it defines.
    """
    _cells[file] = notebook
    _classes.update(dict.fromkeys(classes, notebook))


def kind_of(value: Any, depth: int = 0) -> Kind:
    kind = ordinary(type(value))
    if kind is bool:
        return _FLAGS[value]
    if kind is Keywords:
        named: Keywords = value
        return named if len(named) <= MOST_ELEMENTS else kind
    if kind is FunctionType:
        code: CodeType = value.__code__
        return code
    if kind is MethodType:
        bound = getattr(value.__func__, "__code__", None)
        return kind if bound is None else _Bound(bound)
    if kind not in DEEP or depth == DEEPEST or len(value) > MOST_ELEMENTS:
        return kind
    held = value.values() if kind is dict else value
    types = frozenset(types_of(held))
    if types.isdisjoint(_DEEP_IN_CONTAINERS):
        return _Held(types)
    deep = (kind_of(each, depth + 1) for each in held)
    return _Held(frozenset(bool if isinstance(each, _Flag) else each for each in deep))


def described(kind: Kind) -> Iterator[str]:
    """A value, as facts name it."""
    match kind:
        case _Held(kinds):
            held = {told for each in kinds for told in described(each)}
            yield from (f"{IN_CONTAINER}{told}" for told in held or {PLAIN})
        case _Bound(code):
            yield _of_code(code, BOUND)
        case _Flag(name):
            yield name
        case Keywords():
            yield from (f"{KEYWORD}{_shown(name)}" for name in kind)
        case CodeType():
            yield _of_code(kind, FUNCTION)
        case _:
            yield named(kind)


def _shown(name: str) -> str:
    """The name of a keyword; what is none of Python's names is data of the program."""
    return name if name.isidentifier() else "?"


def _of_code(code: CodeType, what: str) -> str:
    file = _cells.get(code.co_filename)
    if file is None:
        file = plain_settings()["touched"].get(os.path.realpath(code.co_filename))
    path = code.co_qualname.replace(".<locals>", "")
    return OTHER if file is None else f"{file}{IN_FILE}{path}{what}"


# A type has the same name for the whole life of the watched process.
@functools.cache
def named(kind: type) -> str:
    if kind is type(None):
        return NONE
    if kind is Default:
        return DEFAULT
    if issubclass(kind, PLAIN_TYPES):
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
