"""Where a table stands: `nnx-migrate.toml`, or `[tool.nnx-migrate]` in pyproject.toml.

Of two in one folder nnx-migrate.toml counts, and the other is not read.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from nnx_migrate.sources.config_values import ConfigError, did_you_mean
from nnx_migrate.sources.own_transforms import read_transforms
from nnx_migrate.sources.walk.scanning import read_settings

if TYPE_CHECKING:
    import pathspec

PYPROJECT = "pyproject.toml"
OWN_FILE = "nnx-migrate.toml"
#: Many tools have a table by the name of their package.
_MISSPELT = "nnx_migrate"
NO_TARGET = "the rewritten code always works in both modes"
KnownRules = Callable[[], Collection[str]]
#: Keys that are tables of their own.
_TABLES = frozenset({"overrides", "check", "transforms"})
#: Keys that there were, and what to do without them.
_GONE = MappingProxyType({"target": NO_TARGET})


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """The configuration in one file.

    Args:
        file: where it stands.
        base: the folder that its patterns and paths are relative to.
        values: fields of `Options` that it sets.
        overrides: patterns and the fields of `Options` they set, in the order of the file.
        check: what its sub-table `check` says, unread.
    """

    file: Path
    base: Path
    values: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    overrides: tuple[tuple[pathspec.GitIgnoreSpec, Mapping[str, Any]], ...] = ()
    check: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def values_for(self, path: Path, *, overridden: bool = True) -> dict[str, Any]:
        """Return the fields of `Options` that this table sets for `path` (absolute)."""
        values = dict(self.values)
        if "python" in values:
            values["python"] = str(self.base / values["python"])
        # A file that was named with --config may count for paths outside of its folder.
        if overridden and path.is_relative_to(self.base):
            relative = path.relative_to(self.base).as_posix()
            for patterns, others in self.overrides:
                if patterns.match_file(relative):
                    values.update(others)
        return values

    def named(self, table: str) -> str:
        """The file and one of the tables in it, for messages.

        Args:
            table: `check`, say; empty for the whole.
        """
        return _named(self.file, table)

    def exclude(self) -> tuple[Path, pathspec.GitIgnoreSpec] | None:
        """The folder and the patterns (relative to it) that leave paths out, or None.

        Raises:
            ConfigError: one of them is no pattern.
        """
        if not self.values.get("exclude"):
            return None
        return self.base, patterns_of(f"{_named(self.file)} exclude", self.values["exclude"])


def table_in(folder: Path, known_rules: KnownRules | None) -> Table | None:
    """The configuration that stands in a folder, or None.

    Args:
        folder: not those around it.
        known_rules: gives the names of rules; None to accept any.

    Raises:
        ConfigError: it cannot be obeyed.
    """
    for name in (OWN_FILE, PYPROJECT):
        try:
            table = _read(folder / name, folder, known_rules)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise ConfigError(f"{folder / name}: {error.strerror}") from None
        if table is not None:
            return table
    return None


def named_table(file: Path, base: Path, known_rules: KnownRules | None) -> Table:
    """The configuration in a file that somebody names.

    Args:
        file: TOML, of any name.
        base: the folder that its patterns and paths are relative to.
        known_rules: gives the names of rules; None to accept any.

    Raises:
        ConfigError: it cannot be read, has no configuration, or cannot be obeyed.
    """
    try:
        table = _read(file, base, known_rules)
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    if table is None:
        raise ConfigError(f"{file}: there is no [tool.nnx-migrate] in it")
    return table


def patterns_of(where: str, lines: Iterable[str]) -> pathspec.GitIgnoreSpec:
    """Patterns of paths, in .gitignore syntax.

    Args:
        where: who gives them, for messages.
        lines: one each.

    Raises:
        ConfigError: one of them is none.
    """
    from nnx_migrate.sources.patterns import ignore_patterns

    try:
        return ignore_patterns(lines)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def check_rules(where: str, names: Iterable[str], known_rules: KnownRules | None) -> None:
    """See that each name is one of a rule.

    Args:
        where: who names them, for messages.
        names: of rules.
        known_rules: gives those that there are; None to accept any.

    Raises:
        ConfigError: one is not.
    """
    for name in sorted(names):
        if known_rules is not None and name not in known_rules():
            hint = did_you_mean(name, known_rules()) or "; 'nnx-migrate rule' lists them"
            raise ConfigError(f"{where}: there is no rule named {name!r}{hint}")


def _read(file: Path, base: Path, known_rules: KnownRules | None) -> Table | None:
    data = read_settings(file)
    own = file.name != PYPROJECT
    # A broken pyproject.toml that is not about this tool (a test fixture, say) is not our business.
    if not own and not any(name in data for name in (b"nnx-migrate", _MISSPELT.encode())):
        return None
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    if not own and _MISSPELT in document.get("tool", {}):
        raise ConfigError(f"{file}: [tool.{_MISSPELT}] is called [tool.nnx-migrate]")
    table = document if own else document.get("tool", {}).get("nnx-migrate")
    return None if table is None else _parse(file, base, table, known_rules)


def _parse(file: Path, base: Path, table: object, known_rules: KnownRules | None) -> Table:
    from nnx_migrate.sources.settings.tables import Override, Settings

    values = _values(_named(file), table, Settings, known_rules)
    assert isinstance(table, Mapping)
    entries = table.get("overrides", [])
    heading = _named(file, "overrides", brackets=2)
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{file}: overrides must be written as {heading.split(': ')[-1]}")
    if "transforms" in table:
        values["transforms"] = read_transforms(_named(file, "transforms"), table["transforms"])
    overrides = []
    for number, entry in enumerate(entries, start=1):
        place = f"{heading} number {number}"
        decisions = _values(place, entry, Override, known_rules)
        overrides.append((patterns_of(place, decisions.pop("paths")), decisions))
    check = table.get("check", {})
    if not isinstance(check, Mapping):
        raise ConfigError(f"{_named(file, 'check')} must be a table, not {check!r}")
    return Table(file, base, values, tuple(overrides), check)


def _values(
    where: str, table: object, kind: type[Any], known_rules: KnownRules | None
) -> dict[str, Any]:
    from nnx_migrate.sources.settings.reading import read_values

    for key in table if isinstance(table, Mapping) else ():
        if key in _GONE:
            raise ConfigError(f"{where} {key} no longer exists: {_GONE[key]}; remove the key")
    values = read_values(where, table, kind, unread=_TABLES)
    for key in ("select", "ignore"):
        if key in values:
            check_rules(f"{where} {key}", values[key], known_rules)
    frozen = {"select": frozenset, "ignore": frozenset, "allow": frozenset, "exclude": tuple}
    return {key: frozen.get(key, _same)(value) for key, value in values.items()}


def _same(value: Any) -> Any:
    return value


def _named(file: Path, table: str = "", *, brackets: int = 1) -> str:
    """The file and a table in it: `[tool.nnx-migrate.check]`, or `[check]` in a file of its own."""
    parts = [*(["tool.nnx-migrate"] if file.name == PYPROJECT else []), *([table] if table else [])]
    heading = f"{'[' * brackets}{'.'.join(parts)}{']' * brackets}" if parts else ""
    return f"{file}: {heading}".rstrip()
