"""What a key of `[tool.nnx-migrate]` may say, and what is told of one that says something else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from nnx_migrate.core.permissions import Permission


class ConfigError(ValueError):
    """Configuration or flags that cannot be obeyed; the text names the file and the key."""


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return "; did you mean ...?" for a mistyped `name`, or "" when nothing in `known` is near."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


def strings(where: str, key: str, value: object) -> tuple[str, ...]:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise ConfigError(f"{where} {key} must be a list of strings, not {value!r}")


def _rule_names(where: str, key: str, value: object) -> frozenset[str]:
    return frozenset(strings(where, key, value))


def permissions_of(where: str, names: Iterable[str]) -> frozenset[Permission]:
    """The assumptions of these names.

    Raises:
        ConfigError: there is none of a name.
    """
    found = []
    known = [permission.value for permission in Permission]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or f"; there are {', '.join(known)}"
            raise ConfigError(f"{where}: there is nothing to allow named {name!r}{hint}")
        found.append(Permission(name))
    return frozenset(found)


def _permissions(where: str, key: str, value: object) -> frozenset[Permission]:
    return permissions_of(f"{where} {key}", strings(where, key, value))


def _boolean(where: str, key: str, value: object) -> bool:
    if isinstance(value, bool):
        return value
    raise ConfigError(f"{where} {key} must be true or false, not {value!r}")


def _path(where: str, key: str, value: object) -> str:
    if isinstance(value, str) and value:
        return value
    raise ConfigError(f"{where} {key} must be a path, not {value!r}")


def _positive(where: str, key: str, value: object) -> int:
    if isinstance(value, int) and not isinstance(value, bool) and value >= 1:
        return value
    raise ConfigError(f"{where} {key} must be a whole number of 1 or more, not {value!r}")


def _one_of(*choices: str) -> Callable[[str, str, object], str]:
    def read(where: str, key: str, value: object) -> str:
        if isinstance(value, str) and value in choices:
            return value
        expected = " or ".join(repr(choice) for choice in choices)
        raise ConfigError(f"{where} {key} must be {expected}, not {value!r}")

    return read


#: What reads the value of each key.
READERS: Mapping[str, Callable[[str, str, object], Any]] = MappingProxyType(
    {
        "select": _rule_names,
        "ignore": _rule_names,
        "allow": _permissions,
        "unsafe": _boolean,
        "on-unsafe": _one_of("pin", "leave"),
        "trace-checks": _boolean,
        "unpin": _boolean,
        "follow-installed": _boolean,
        "python": _path,
        "jobs": _positive,
        "timeout": _positive,
        "exclude": strings,
        "docs": _boolean,
    }
)
