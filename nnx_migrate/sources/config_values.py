"""What is said of configuration that cannot be obeyed, and of a name that is nearly right."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from nnx_migrate.core.permissions import Permission


class ConfigError(ValueError):
    """Configuration or flags that cannot be obeyed; the text names the file and the key."""


def did_you_mean(name: str, known: Collection[str]) -> str:
    """Return "; did you mean ...?" for a mistyped `name`, or "" when nothing in `known` is near."""
    import difflib

    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""


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
            raise ConfigError(f"{where}: there is no permission named {name!r}{hint}")
        found.append(Permission(name))
    return frozenset(found)
