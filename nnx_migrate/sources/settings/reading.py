"""Reading a table key by key, so that an error names the key, what it takes, and the nearest."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import inspect

from nnx_migrate.sources.config_values import ConfigError, did_you_mean


def read_values(
    where: str, table: object, kind: type[msgspec.Struct], *, unread: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """The values that a table sets, by their names in Python.

    Args:
        where: the file and the table, for messages.
        table: as it was parsed.
        kind: says which keys there are, and what each takes.
        unread: keys whose values the caller reads.

    Raises:
        ConfigError: the table has another key, lacks one, or a value is of another kind.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} must be a table, not {table!r}")
    fields = _fields(kind)
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key not in fields:
            known = sorted(fields)
            hint = did_you_mean(str(key), known) or f"; the keys are {', '.join(known)}"
            raise ConfigError(f"{where} has no key {key!r}{hint}")
        field = fields[key]
        if key in unread:
            continue
        try:
            values[field.name] = msgspec.convert(value, field.type)
        except msgspec.ValidationError:
            told = _refusal(key, value, inspect.type_info(field.type))
            raise ConfigError(f"{where} {told}") from None
    for key, field in fields.items():
        if field.required and key not in table:
            raise ConfigError(f"{where} needs {key!r}: {expected(inspect.type_info(field.type))}")
    return values


# A class has the same fields each time.
@functools.cache
def _fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def expected(kind: inspect.Type) -> str:
    """What a value may be, in words.

    Args:
        kind: of a key of a table.
    """
    match kind:
        case inspect.Metadata(type=inner):
            return expected(inner)
        case inspect.UnionType(types=types):
            return " or ".join(map(expected, types))
        case inspect.BoolType():
            return "true or false"
        case inspect.IntType(ge=least):
            return f"a whole number of {least} or more"
        case inspect.FloatType(ge=least):
            return f"a number of {least} or more"
        case inspect.LiteralType(values=values):
            return " or ".join(repr(value) for value in values)
        case inspect.EnumType(cls=cls):
            return f"one of {', '.join(repr(each.value) for each in cls)}"
        case inspect.ListType(item_type=inspect.EnumType() as item):
            return f"a list with {expected(item)}"
        case inspect.ListType():
            return "a list of strings"
        case inspect.DictType(value_type=value):
            return f"a table; each value is {expected(value)}"
        case inspect.StrType(pattern=None, min_length=least):
            return "a string that is not empty" if least else "a string"
        case inspect.StrType():
            return "the name of a transform, as in 'nnx.jit'"
    raise TypeError(f"a key of a table takes no {type(kind).__name__}")


def _refusal(key: str, value: object, kind: inspect.Type) -> str:
    """What a key takes, and what stands there; of a table, where in it."""
    match kind:
        case inspect.Metadata(type=inner):
            return _refusal(key, value, inner)
        case inspect.DictType(value_type=each) if isinstance(value, Mapping):
            for name, inner in value.items():
                if not _fits(inner, each):
                    return _refusal(f"{key}.{name}", inner, each)
    return f"{key} must be {expected(kind)}, not {value!r}{_near(kind, value)}"


def _fits(value: object, kind: inspect.Type) -> bool:
    match kind:
        case inspect.FloatType(ge=least):
            if isinstance(value, bool) or not isinstance(value, int | float):
                return False
            return least is None or value >= least
        case inspect.StrType():
            return isinstance(value, str)
    return True


def _near(kind: inspect.Type, value: object) -> str:
    """The choice that a value was perhaps meant to be."""
    given = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    choices = list(_choices(kind))
    strange = (each for each in given if isinstance(each, str) and each not in choices)
    return next((hint for each in strange if (hint := did_you_mean(each, choices))), "")


def _choices(kind: inspect.Type) -> list[str]:
    match kind:
        case inspect.Metadata(type=inner) | inspect.ListType(item_type=inner):
            return _choices(inner)
        case inspect.UnionType(types=types):
            return [choice for each in types for choice in _choices(each)]
        case inspect.LiteralType(values=values):
            return [str(value) for value in values]
        case inspect.EnumType(cls=cls):
            return [str(each.value) for each in cls]
    return []
