"""What is put around a touched function: the same callable, that also records.

Only functions, and the callables that jax, flax and functools make of them, are wrapped. What else
a decorator returns (a fixture of pytest, say) is left alone and reported.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import types
import weakref
from collections.abc import Callable
from typing import Any

from nnx_migrate.check.recording.call_recorder import Site, busy, make_call, note_missed

_WRAPPED_FAMILIES = ("jax", "jaxlib", "flax")
# No attribute says so: `functools.wraps` would copy it to whatever is made of the function.
_made: weakref.WeakSet[Any] = weakref.WeakSet()


def boundary(path: str, name: str) -> Callable[[Any], Any]:
    """A decorator for the outermost place.

    Args:
        path: the file of the function, relative to the tree.
        name: its qualified name.
    """
    return lambda target: around(target, Site(path, name))


def around(target: Any, site: Site) -> Any:
    """Puts a boundary around a callable.

    Args:
        target: anything; what is no function is left alone, and told.
        site: where its calls go.
    """
    if type(target) is Callee or (type(target) is types.FunctionType and target in _made):
        return target
    if isinstance(target, property):
        parts = {
            part: getattr(target, part)
            and around(getattr(target, part), Site(site.path, f"{site.name}.{part}"))
            for part in ("fget", "fset", "fdel")
        }
        return type(target)(**parts, doc=target.__doc__)
    if isinstance(target, (staticmethod, classmethod)):
        return type(target)(around(target.__func__, site))
    if _holds_modules(target):
        note_missed(
            site, "it keeps Modules of its own, and a recorded call does not have their state"
        )
        return target
    if isinstance(target, types.FunctionType):
        kinds = inspect.isgeneratorfunction, inspect.iscoroutinefunction, inspect.isasyncgenfunction
        if any(is_kind(inspect.unwrap(target)) for is_kind in kinds):
            note_missed(site, "it is a generator or a coroutine")
            return target
        return _function(target, site)
    if _is_wrapped(target):
        return Callee(target, site)
    note_missed(site, f"it is a {type(target).__qualname__}, not a function")
    return target


def _function(target: types.FunctionType, site: Site) -> Callable[..., Any]:
    @functools.wraps(target)
    def recorded(*args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        if busy():
            return target(*args, **kwargs)
        return make_call(site, target, args, kwargs)

    _made.add(recorded)
    return recorded


def unwatched(value: Any) -> Any:
    """What a boundary was put around.

    Args:
        value: anything.
    """
    if type(value) is Callee:
        return value.__dict__["_target"]
    if type(value) is types.FunctionType and value in _made:
        return inspect.unwrap(value, stop=lambda each: each not in _made)
    return value


def _holds_modules(target: Any) -> bool:
    """Whether it is bound to Modules, as `nnx.cached_partial` and `functools.partial` do it."""
    held: list[Any] = []
    if isinstance(target, functools.partial):
        held += [target.args, target.keywords]
    elif isinstance(target, types.FunctionType):
        for cell in target.__closure__ or ():
            # A cell that nothing was put into yet.
            with contextlib.suppress(ValueError):
                held.append(cell.cell_contents)
    elif _is_wrapped(target):
        held += getattr(target, "__dict__", {}).values()
    inside = [
        each
        for value in held
        if isinstance(value, (tuple, list, dict))
        for each in (value.values() if isinstance(value, dict) else value)
    ]
    return any(_is_pytree(value) for value in held + inside)


def _is_pytree(value: Any) -> bool:
    return any(
        base.__name__ == "Pytree" and base.__module__.startswith("flax.")
        for base in type(value).__mro__
    )


def _is_wrapped(target: Any) -> bool:
    cls = type(target)
    if not callable(target) or isinstance(target, type):
        return False
    if isinstance(target, (functools.partial, functools._lru_cache_wrapper)):
        return True
    family = cls.__module__.partition(".")[0]
    # Modules of flax are callable, too, and are no functions.
    return family in _WRAPPED_FAMILIES and not _is_pytree(target)


class Callee:
    """Stands for what a transform returned: `lower`, `trace` and all else are those of the target.

    Args:
        target: the transformed function.
        site: where its calls go.
    """

    def __init__(self, target: Any, site: Site) -> None:
        self.__dict__.update(
            _target=target,
            _site=site,
            __module__=getattr(target, "__module__", __name__),
            __doc__=getattr(target, "__doc__", None),
        )

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        __tracebackhide__ = True
        target, site = self.__dict__["_target"], self.__dict__["_site"]
        if busy():
            return target(*args, **kwargs)
        return make_call(site, target, args, kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        binds = hasattr(type(self.__dict__["_target"]), "__get__")
        return self if instance is None or not binds else types.MethodType(self, instance)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_target"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_target"], name, value)

    def __repr__(self) -> str:
        return repr(self.__dict__["_target"])

    @property
    def __class__(self) -> type:
        return type(self.__dict__["_target"])

    @__class__.setter
    def __class__(self, cls: type) -> None:
        raise TypeError("the class of a recorded function cannot be changed")
