"""What a recorded function returns and is called later: a step that a factory made."""

from __future__ import annotations

import functools
import os
import types
import weakref
from typing import Any

from nnx_migrate.check.recording.call_recorder import Site
from nnx_migrate.check.recording.settings import read_settings

# What a factory keeps and returns again is the same object for its callers: so has to be what
# stands for it. A boundary holds its function, so that no other gets its id.
_boundaries: weakref.WeakValueDictionary[tuple[int, str, str], Any] = weakref.WeakValueDictionary()
_sites: weakref.WeakKeyDictionary[Any, Site] = weakref.WeakKeyDictionary()


def with_watched_products(site: Site, arguments: bytes, result: Any) -> Any:
    """Puts a boundary around the functions that a call made and returned.

    Args:
        site: the function that was called.
        arguments: what it was called with, as it is kept.
        result: what it returned.

    Returns:
        The same; functions in it, alone or in a tuple, are replaced by those that also record.
    """
    if type(result) is tuple:
        parts = [
            _watched(site, arguments, f"[{number}]", part) for number, part in enumerate(result)
        ]
        is_other = any(one is not two for one, two in zip(parts, result, strict=True))
        return tuple(parts) if is_other else result
    return _watched(site, arguments, "", result)


def _watched(site: Site, arguments: bytes, place: str, value: Any) -> Any:
    from nnx_migrate.check.recording.boundary import around

    if not _is_made_here(value):
        return value
    name = f"{site.name}(){place}"
    key = id(value), site.path, name
    known = _boundaries.get(key)
    if known is not None:
        _sites[known].make_again(arguments)
        return known
    product = Site(site.path, name, made=arguments)
    found = around(value, product)
    if found is not value:
        _boundaries[key], _sites[found] = found, product
    return found


def _is_made_here(value: Any) -> bool:
    """Whether it is a function inside of one of the user's, or what a transform made of it."""
    if isinstance(value, (type, functools.partial)) or not callable(value):
        return False
    inner = value
    while not isinstance(inner, types.FunctionType):
        inner = getattr(inner, "__wrapped__", None) or getattr(inner, "fun", None)
        if inner is None:
            return False
    root = str(read_settings().root)
    return "<locals>" in inner.__qualname__ and os.path.realpath(
        inner.__code__.co_filename
    ).startswith(root)


def product_of(made: Any, name: str) -> Any:
    """The function in what a factory returned.

    Args:
        made: what it returned.
        name: of the recorded function: `make_step()[1]`.

    Raises:
        Exception: it did not return so much.
    """
    place = name.rpartition("()")[2]
    return made[int(place[1:-1])] if place else made
