"""What a function is: its code, and everything that is bound to it.

Two functions of two processes cannot be compared by calling them, for nothing says with what. They
are the same where their code is, and so is what they hold: closures, defaults, what `partial` gave
them, and the globals of the user's that they read.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import sysconfig
import types
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nnx_migrate.check.compare.forms import Plain

Children = list[tuple[str, object]]
_STANDARD_LIBRARY = str(Path(sysconfig.get_path("stdlib"))) + os.sep
# Wherever they lie: another environment's may be on the path of this one.
_INSTALLED = {"site-packages", "dist-packages"}
# Of what `jax.jit` was told: the rest says where the function was defined.
_JIT_OPTIONS = ("static_argnums", "static_argnames", "donate_argnums", "donate_argnames")


def library_name(value: object) -> str:
    """The name by which a library has a callable.

    Args:
        value: any callable.

    Returns:
        "" where it is the user's, or has no name that leads to it.
    """
    module = sys.modules.get(str(getattr(value, "__module__", None)))
    name = getattr(value, "__qualname__", None)
    if isinstance(value, types.BuiltinFunctionType):
        owner = value.__self__
        if not isinstance(owner, types.ModuleType):
            return ""
        return f"{owner.__name__}.{name}"
    if type(value).__module__ == "numpy" and type(value).__name__ == "ufunc":
        return f"numpy.{getattr(value, '__name__', '')}"
    if module is None or not isinstance(name, str) or "<" in name:
        return ""
    if not _is_library(getattr(module, "__file__", None) or ""):
        return ""
    try:
        found: object = functools.reduce(getattr, name.split("."), module)
    except AttributeError:
        return ""
    return f"{module.__name__}.{name}" if found is value else ""


def opened_callable(value: Callable[..., Any]) -> tuple[Plain, Children] | None:
    """A callable taken apart.

    Args:
        value: anything callable that is no class, Module or Variable.

    Returns:
        What its code is, and the named values that it holds; None where it does not show them.
    """
    value = _unwatched(value)
    if isinstance(value, functools.partial):
        bound: Children = [("function", value.func), ("arguments", value.args)]
        return Plain("function", "partial"), [*bound, ("keywords", value.keywords)]
    if isinstance(value, types.MethodType):
        return Plain("function", "method"), [("self", value.__self__), ("code", value.__func__)]
    if isinstance(value, types.FunctionType):
        return Plain("function", f"{value.__name__} {_digest(_code(value))}"), _bound(value)
    if isinstance(value, types.BuiltinMethodType):
        return Plain("function", f"method {value.__name__}"), [("self", value.__self__)]
    if type(value).__name__ == "PjitFunction":
        told = getattr(value, "_jit_info", None)
        options = {name: getattr(told, name, None) for name in _JIT_OPTIONS}
        wrapped = getattr(value, "__wrapped__", None)
        return Plain("function", "jit"), [("options", options), ("wrapped", wrapped)]
    if hasattr(value, "__dict__"):
        kind = "function" if _is_of_a_library(type(value)) else "object"
        held = [(name, each) for name, each in vars(value).items() if not name.startswith("__")]
        return Plain(kind, type(value).__qualname__), held
    return None


def _unwatched(value: Callable[..., Any]) -> Callable[..., Any]:
    """The function itself, where a recording has put a boundary around it."""
    boundary: Any = sys.modules.get("nnx_migrate.check.recording.boundary")
    found: Callable[..., Any] = value if boundary is None else boundary.unwatched(value)
    return found


def _code(function: types.FunctionType) -> types.CodeType:
    """The code of a function as it is written, where a worker has put probes into it."""
    lines: Any = sys.modules.get("nnx_migrate.check.branches.lines")
    found: types.CodeType = (
        function.__code__ if lines is None else lines.as_written(function.__code__)
    )
    return found


def _is_of_a_library(kind: type) -> bool:
    module = sys.modules.get(kind.__module__)
    return _is_library(getattr(module, "__file__", None) or "")


@functools.cache
def _is_library(file: str) -> bool:
    # What is frozen or built in has no file.
    return (
        not file
        or file.startswith(("<", _STANDARD_LIBRARY))
        or not _INSTALLED.isdisjoint(Path(file).parts)
    )


def _digest(code: types.CodeType) -> str:
    """Of what a function does; where it is written and how it is named does not count."""
    parts: list[object] = [code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars]
    parts += [code.co_flags, code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount]
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            parts.append(_digest(constant))
        elif isinstance(constant, frozenset):
            parts.append(sorted(map(repr, constant)))
        else:
            parts.append(f"{type(constant).__name__} {constant!r}")
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _bound(function: types.FunctionType) -> Children:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    held: Children = [("closure", dict(_filled(cells)))] if function.__closure__ else []
    if function.__defaults__:
        held.append(("defaults", function.__defaults__))
    if function.__kwdefaults__:
        held.append(("keyword defaults", function.__kwdefaults__))
    if not _is_library(function.__code__.co_filename):
        read = dict(_globals_read(function))
        held += [("globals", read)] if read else []
    return held


def _filled(cells: Iterator[tuple[str, types.CellType]]) -> Iterator[tuple[str, object]]:
    for name, cell in cells:
        try:
            yield name, cell.cell_contents
        except ValueError:
            # A function that is made before what it refers to.
            yield name, None


def _globals_read(function: types.FunctionType) -> Iterator[tuple[str, object]]:
    known: Mapping[str, object] = function.__globals__
    names = sorted(_names(_code(function)))
    for name in names:
        value = known.get(name)
        if name not in known or isinstance(value, type):
            continue
        if not isinstance(value, types.ModuleType):
            yield name, value
        elif not _is_library(getattr(value, "__file__", None) or ""):
            # `settings.LR`: what is read of a module of the user's has a name in the code, too.
            for inner in names:
                found = vars(value).get(inner)
                if inner in vars(value) and not isinstance(found, (type, types.ModuleType)):
                    yield f"{name}.{inner}", found


def _names(code: types.CodeType) -> set[str]:
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            found |= _names(constant)
    return found
