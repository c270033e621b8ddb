"""What a run is told to do: command-line flags over the nearest `[tool.nnx-migrate]` table.

    [tool.nnx-migrate]
    select = ["module-gradient"]      # only these rules; leave it out for all
    ignore = ["state-axes"]
    allow = ["unknown-class"]         # what rewrites may assume; docs/permissions.md
    unsafe = false                    # true: all of that
    on-unsafe = "pin"                 # or "leave"
    trace-checks = true               # false: pin what only a check in the new code makes safe
    unpin = true                      # plan all that looks like a pin anew; false: no pin
    follow-installed = false          # look into packages that are given objects with shared parts
    python = ".venv"                  # the environment that has them, relative to this file
    jobs = 4
    docs = false                      # look into .md and .rst files, and doctests, too
    exclude = ["third_party/"]        # .gitignore patterns, relative to this file

    [[tool.nnx-migrate.overrides]]
    paths = ["legacy/**"]             # .gitignore patterns, relative to this file
    ignore = ["state-sharding"]

    [tool.nnx-migrate.transforms."acme.fancy_jit"]
    like = "nnx.jit"                  # a transform of your own (own_transforms.py has the keys)

The table that counts for a file is the one in the nearest pyproject.toml upward that has one, and
it counts whole: tables of outer projects are not merged in. Overrides apply in the order in which
they are written.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.pins import Unpin
from nnx_migrate.sources.config_values import (
    READERS,
    ConfigError,
    did_you_mean,
    permissions_of,
    strings,
)
from nnx_migrate.sources.imports.installed import environment
from nnx_migrate.sources.imports.module_names import place_of
from nnx_migrate.sources.observed_facts import ObservedFacts
from nnx_migrate.sources.own_transforms import (
    OwnTransform,
    TransformError,
    installed_transforms,
    read_transforms,
)
from nnx_migrate.sources.walk.scanning import read_settings

if TYPE_CHECKING:
    import pathspec

OnUnsafe = Literal["pin", "leave"]
NO_TARGET = "what is written holds in graph mode and in tree mode, always"
KnownRules = Callable[[], Collection[str]]
KnownTransforms = Callable[[], Collection[str]]
#: Keys that are tables of their own.
_TABLES = frozenset({"overrides", "check", "transforms"})
_KEYS = frozenset(READERS) | _TABLES
_OVERRIDABLE = frozenset(
    {"select", "ignore", "allow", "unsafe", "on-unsafe", "trace-checks", "unpin"}
)
#: Keys that there were, and what to do without them.
_GONE = MappingProxyType({"target": NO_TARGET})


@dataclasses.dataclass(frozen=True, slots=True)
class Options:
    """What counts for one file.

    Args:
        select: the rules to run; None for all.
        ignore: rules not to run, even when selected.
        unsafe: apply rewrites that rest on any assumption.
        allow: the assumptions that rewrites may rest on.
        on_unsafe: what becomes of such a site otherwise: pinned to graph mode, or left with a
            finding.
        trace_checks: write rewrites that check when they are traced what is not proved; such a
            site is pinned otherwise.
        unpin: plan what earlier runs have pinned anew: all that may be such a pin, or none of it;
            None for what is one for certain.
        follow_installed: look into installed packages that objects with shared parts are given to.
        python: the environment where these are installed, its folder or its interpreter; if empty
            the active one, or else the one that runs this program.
        jobs: worker processes; None for as many as there are processors, up to 8.
        timeout: seconds that a file may take in `apply`; `batch` has a limit of its own.
        exclude: .gitignore patterns of paths that are not looked at.
        docs: look into pages of documentation and doctests as well.
        transforms: the project's own transforms, and those of installed packages.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    unsafe: bool = False
    allow: frozenset[Permission] = frozenset()
    on_unsafe: OnUnsafe = "pin"
    trace_checks: bool = True
    unpin: bool | None = None
    follow_installed: bool = False
    python: str = ""
    jobs: int | None = None
    timeout: int = 300
    exclude: tuple[str, ...] = ()
    docs: bool = False
    transforms: tuple[OwnTransform, ...] = ()

    def runs(self, rule: str) -> bool:
        """Return whether `rule` is to run."""
        return rule not in self.ignore and (self.select is None or rule in self.select)

    def allows(self, assumption: Permission) -> bool:
        """Return whether rewrites may rest on an assumption."""
        return self.unsafe or assumption in self.allow

    @property
    def withdraws(self) -> Unpin:
        """Which pins of earlier runs are planned anew."""
        if self.unpin is None:
            return Unpin.OURS
        return Unpin.ALL if self.unpin else Unpin.NONE


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """One `[tool.nnx-migrate]` table.

    Args:
        file: the pyproject.toml it stands in.
        values: fields of `Options` that it sets.
        overrides: patterns and the fields of `Options` they set, in the order of the file.
        check: what its sub-table `check` says, unread.
    """

    file: Path
    values: Mapping[str, Any]
    overrides: tuple[tuple[pathspec.GitIgnoreSpec, Mapping[str, Any]], ...] = ()
    check: Mapping[str, object] = dataclasses.field(default_factory=dict)

    def values_for(self, path: Path, *, overridden: bool = True) -> dict[str, Any]:
        """Return the fields of `Options` that this table sets for `path` (absolute)."""
        relative = path.relative_to(self.file.parent).as_posix()
        values = dict(self.values)
        if "python" in values:
            values["python"] = str(self.file.parent / values["python"])
        for patterns, others in self.overrides if overridden else ():
            if patterns.match_file(relative):
                values.update(others)
        return values


class Configuration:
    """Flags, and the tables found on the way up from each file; every pyproject.toml is read once.

    Args:
        flags: fields of `Options` given on the command line; they beat every table.
        known_rules: gives the names that `select` and `ignore` may use, and is called only when
            one of them does; None to accept any name.
        known_transforms: gives the names after `nnx.` that a transform of a project may be like;
            None to accept any.
        facts: what runs have shown of the files.

    Raises:
        ConfigError: a flag names an unknown rule.
    """

    def __init__(
        self,
        flags: Mapping[str, Any] | None = None,
        known_rules: KnownRules | None = None,
        known_transforms: KnownTransforms | None = None,
        facts: ObservedFacts | None = None,
    ) -> None:
        self.facts = facts
        self._flags = dict(flags or {})
        self._known_rules = known_rules
        self._known_transforms = known_transforms
        self._tables: dict[Path, Table | None] = {}
        for field in ("select", "ignore"):
            _check_rules(f"--{field}", self._flags.get(field) or (), known_rules)
        if "allow" in self._flags:
            self._flags["allow"] = permissions_of("--allow", self._flags["allow"])

    def table_for(self, directory: Path) -> Table | None:
        """Return the table that counts for files in `directory` (absolute), or None.

        Raises:
            ConfigError: a pyproject.toml on the way up has a table that cannot be obeyed.
        """
        climbed: list[Path] = []
        table: Table | None = None
        for folder in (directory, *directory.parents):
            if folder in self._tables:
                table = self._tables[folder]
                break
            climbed.append(folder)
            table = _read_table(folder / "pyproject.toml", self._known_rules)
            if table is not None:
                self._check_transforms(table.values.get("transforms", ()))
                break
        self._tables.update(dict.fromkeys(climbed, table))
        return table

    def exclude_for(self, directory: Path) -> tuple[Path, pathspec.GitIgnoreSpec] | None:
        """Return the folder and the patterns (relative to it) that leave paths out, or None.

        Args:
            directory: an absolute path; the nearest table upward from it counts.

        Raises:
            ConfigError: a pyproject.toml on the way up has a table that cannot be obeyed.
        """
        table = self.table_for(directory)
        if table is None or not table.values.get("exclude"):
            return None
        return table.file.parent, _patterns(f"{table.file}: exclude", table.values["exclude"])

    def options_for(self, path: Path, *, overridden: bool = True) -> Options:
        """Return what counts for the file at `path`.

        Args:
            path: the file.
            overridden: what overrides say of it counts too.

        Raises:
            ConfigError: a pyproject.toml on the way up has a table that cannot be obeyed.
        """
        place = place_of(path)
        table = self.table_for(place.parent)
        values = table.values_for(place, overridden=overridden) if table is not None else {}
        options = Options(**{**values, **self._flags})
        if options.follow_installed and not environment(options.python).folders:
            raise ConfigError(f"python: no packages are installed below {options.python}")
        named = {each.name: each for each in (*self._of_packages, *values.get("transforms", ()))}
        return dataclasses.replace(options, transforms=tuple(named.values()))

    @functools.cached_property
    def _of_packages(self) -> tuple[OwnTransform, ...]:
        """The transforms that installed packages name."""
        try:
            found = installed_transforms()
        except TransformError as error:
            raise ConfigError(str(error)) from None
        self._check_transforms(found)
        return found

    def _check_transforms(self, transforms: Collection[OwnTransform]) -> None:
        """See that each is like a transform that there is."""
        known = self._known_transforms() if self._known_transforms and transforms else ()
        for each in transforms if known else ():
            if each.like not in known:
                names = ", ".join(f"nnx.{name}" for name in sorted(known))
                near = did_you_mean(f"nnx.{each.like}", [f"nnx.{name}" for name in known])
                hint = near or f"; it may be one of {names}"
                raise ConfigError(f"{each.where} like: nnx.{each.like} is no transform{hint}")


def _read_table(file: Path, known_rules: KnownRules | None) -> Table | None:
    try:
        data = read_settings(file)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror}") from None
    # A broken pyproject.toml that is not about this tool (a test fixture, say) is not our business.
    if b"nnx-migrate" not in data:
        return None
    import tomllib

    try:
        document = tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    table = document.get("tool", {}).get("nnx-migrate")
    return None if table is None else _parse_table(file, table, known_rules)


def _parse_table(file: Path, table: object, known_rules: KnownRules | None) -> Table:
    where = f"{file}: [tool.nnx-migrate]"
    if not isinstance(table, dict):
        raise ConfigError(f"{where} must be a table")
    entries = table.get("overrides", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{where} overrides must be written as [[tool.nnx-migrate.overrides]]")
    check = table.get("check", {})
    if not isinstance(check, dict):
        raise ConfigError(f"{where} check must be written as [tool.nnx-migrate.check]")
    plain = {key: value for key, value in table.items() if key not in _TABLES}
    values = _parse_values(where, plain, _KEYS, known_rules)
    if "transforms" in table:
        try:
            own = read_transforms(f"{file}: [tool.nnx-migrate.transforms]", table["transforms"])
        except TransformError as error:
            raise ConfigError(str(error)) from None
        values["transforms"] = own
    overrides = []
    for number, entry in enumerate(entries, start=1):
        place = f"{file}: [[tool.nnx-migrate.overrides]] number {number}"
        if not entry.get("paths"):
            raise ConfigError(f"{place} needs 'paths', a list of patterns")
        paths = strings(place, "paths", entry["paths"])
        rest = {key: value for key, value in entry.items() if key != "paths"}
        overridden = _parse_values(place, rest, _OVERRIDABLE, known_rules)
        overrides.append((_patterns(place, paths), overridden))
    return Table(file, values, tuple(overrides), check)


def _patterns(where: str, lines: Iterable[str]) -> pathspec.GitIgnoreSpec:
    from nnx_migrate.sources.patterns import ignore_patterns

    try:
        return ignore_patterns(lines)
    except ValueError as error:
        raise ConfigError(f"{where}: {error}") from None


def _parse_values(
    where: str,
    table: Mapping[str, object],
    keys: Collection[str],
    known_rules: KnownRules | None,
) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for key, value in table.items():
        if key in _GONE:
            raise ConfigError(f"{where} {key} is gone: {_GONE[key]}; remove the key")
        if key not in keys:
            raise ConfigError(f"{where} has no key {key!r}{did_you_mean(key, keys)}")
        values[key.replace("-", "_")] = READERS[key](where, key, value)
        if key in ("select", "ignore"):
            _check_rules(f"{where} {key}", values[key], known_rules)
    return values


def _check_rules(where: str, names: Iterable[str], known_rules: KnownRules | None) -> None:
    for name in sorted(names):
        if known_rules is not None and name not in known_rules():
            hint = did_you_mean(name, known_rules()) or "; 'nnx-migrate rule' lists them"
            raise ConfigError(f"{where}: there is no rule named {name!r}{hint}")
