"""Modules made from their signatures alone, small, for cases that only need one."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

_SIZE = 4
_Made = TypeVar("_Made")


class NotBuildable(Exception):
    """A class that needs something which its signature does not tell; the text names it."""


def build(cls: type[_Made], **given: Any) -> _Made:
    """Makes an object of a class.

    Args:
        cls: usually a Module.
        given: arguments that count as they are; what is missing and has no default is made up
            from its name and annotation: `rngs` an `nnx.Rngs(0)`, whole numbers 4, floats 0.5,
            booleans False, and other Modules likewise.

    Raises:
        NotBuildable: a parameter is none of these.
    """
    try:
        signature = inspect.signature(cls.__init__, eval_str=True)
    except (NameError, TypeError, ValueError):
        signature = inspect.signature(cls.__init__)
    arguments: list[Any] = []
    keywords: dict[str, Any] = {}
    for parameter in list(signature.parameters.values())[1:]:
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        if parameter.name in given:
            value = given[parameter.name]
        elif parameter.default is not parameter.empty:
            continue
        else:
            value = _made_up(cls, parameter)
        if parameter.kind is parameter.POSITIONAL_ONLY:
            arguments.append(value)
        else:
            keywords[parameter.name] = value
    return cls(*arguments, **{**given, **keywords})


def _made_up(cls: type, parameter: inspect.Parameter) -> Any:
    from flax import nnx

    wanted = parameter.annotation
    if wanted is nnx.Rngs or (
        parameter.name in ("rngs", "rng") and wanted in (parameter.empty, "nnx.Rngs")
    ):
        return nnx.Rngs(0)
    plain = {int: _SIZE, float: 0.5, bool: False, "int": _SIZE, "float": 0.5, "bool": False}
    if isinstance(wanted, (type, str)) and wanted in plain:
        return plain[wanted]
    if wanted is parameter.empty:
        return _SIZE
    if isinstance(wanted, type) and issubclass(wanted, nnx.Module):
        return build(wanted)
    raise NotBuildable(f"{cls.__qualname__} needs {parameter.name}: {wanted}")
