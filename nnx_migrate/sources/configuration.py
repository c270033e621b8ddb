"""What a run is told to do: command-line flags over the nearest configuration file.

That is nnx-migrate.toml, or pyproject.toml with a table of this tool (docs/configuration.md):

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

The nearest one upward from a file counts for it, and it counts whole: those of outer projects are
not merged in. Overrides apply in the order in which they are written.
"""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from nnx_migrate.core.permissions import Permission
from nnx_migrate.core.pins import KeptPlace, Unpin
from nnx_migrate.sources.config_values import ConfigError, did_you_mean, permissions_of
from nnx_migrate.sources.facts.observed_facts import ObservedFacts
from nnx_migrate.sources.formatter_width import LINE_WIDTH, formatter_width
from nnx_migrate.sources.imports.installed import environment
from nnx_migrate.sources.imports.module_names import place_of
from nnx_migrate.sources.own_transforms import OwnTransform, installed_transforms
from nnx_migrate.sources.settings.files import (
    KnownRules,
    Table,
    check_rules,
    named_table,
    patterns_of,
    table_in,
)

if TYPE_CHECKING:
    import pathspec

OnUnsafe = Literal["pin", "leave"]
KnownTransforms = Callable[[], Collection[str]]


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
        kept: places of the file that are pinned whatever the rules would make of them.
        width: as long a line as edits leave where they can: what the formatter of the file takes.
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
    kept: tuple[KeptPlace, ...] = ()
    width: int = LINE_WIDTH

    def runs(self, rule: str) -> bool:
        """Return whether `rule` is to run."""
        return rule not in self.ignore and (self.select is None or rule in self.select)

    def allows(self, assumption: Permission) -> bool:
        """Return whether rewrites may rest on an assumption."""
        return assumption in self.allow or (self.unsafe and not assumption.by_name_alone)

    @property
    def withdraws(self) -> Unpin:
        """Which pins of earlier runs are planned again."""
        if self.unpin is None:
            return Unpin.OURS
        return Unpin.ALL if self.unpin else Unpin.NONE


class Configuration:
    """Flags, and the tables found on the way up from each file; every file is read once.

    Args:
        flags: fields of `Options` given on the command line; they beat every table. `exclude` is
            another: patterns relative to the current folder of files that are left alone, which
            are still read for what they say of the others.
        known_rules: gives the names that `select` and `ignore` may use, and is called only when
            one of them does; None to accept any name.
        known_transforms: gives the names after `nnx.` that a transform of a project may be like;
            None to accept any.
        facts: what runs have shown of the files.
        file: counts for all files in the place of those that would be found; what it says of
            paths is relative to the current folder.
        kept: by file (absolute), the places that are pinned in any case.

    Raises:
        ConfigError: a flag names an unknown rule, or the file cannot be obeyed.
    """

    def __init__(
        self,
        flags: Mapping[str, Any] | None = None,
        known_rules: KnownRules | None = None,
        known_transforms: KnownTransforms | None = None,
        facts: ObservedFacts | None = None,
        file: Path | None = None,
        kept: Mapping[Path, tuple[KeptPlace, ...]] = MappingProxyType({}),
    ) -> None:
        self.facts = facts
        self._kept = kept
        self._flags = dict(flags or {})
        self._known_rules = known_rules
        self._known_transforms = known_transforms
        self._tables: dict[Path, Table | None] = {}
        self._widths: dict[Path, int] = {}
        self._folders: dict[Path, Path] = {}
        self._usual: dict[Path, Options] = {}
        here = Path.cwd()
        left_alone = self._flags.pop("exclude", ())
        self._left_alone = (here, patterns_of("--exclude", left_alone)) if left_alone else None
        self._named = None
        if file is not None:
            self._named = named_table(here / file, here, known_rules)
            self._check_transforms(self._named.values.get("transforms", ()))
        for field in ("select", "ignore"):
            check_rules(f"--{field}", self._flags.get(field) or (), known_rules)
        if "allow" in self._flags:
            self._flags["allow"] = permissions_of("--allow", self._flags["allow"])

    def table_for(self, directory: Path) -> Table | None:
        """Return the table that counts for files in `directory` (absolute), or None.

        Raises:
            ConfigError: a configuration on the way up cannot be obeyed.
        """
        if self._named is not None:
            return self._named
        climbed: list[Path] = []
        table: Table | None = None
        for folder in (directory, *directory.parents):
            if folder in self._tables:
                table = self._tables[folder]
                break
            climbed.append(folder)
            table = table_in(folder, self._known_rules)
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
            ConfigError: a configuration on the way up cannot be obeyed.
        """
        table = self.table_for(directory)
        return table.exclude() if table is not None else None

    def leaves_alone(self, path: Path) -> bool:
        """Return whether the file at `path` is not to be migrated, whoever names it."""
        if self._left_alone is None:
            return False
        base, patterns = self._left_alone
        return patterns.match_file(os.path.relpath(place_of(path), base).replace(os.sep, "/"))

    def options_for(self, path: Path, *, overridden: bool = True) -> Options:
        """Return what counts for the file at `path`.

        Args:
            path: the file.
            overridden: what overrides say of it counts too.

        Raises:
            ConfigError: a configuration on the way up cannot be obeyed.
        """
        parent = path.parent
        if parent not in self._folders:
            self._folders[parent] = place_of(path).parent
        place = self._folders[parent] / path.name
        table = self.table_for(place.parent)
        if place in self._kept or (overridden and table is not None and table.overrides):
            return self._options(place, table, overridden=overridden)
        # Most files of a folder are one as the other.
        if place.parent not in self._usual:
            self._usual[place.parent] = self._options(place, table, overridden=False)
        return self._usual[place.parent]

    def _options(self, place: Path, table: Table | None, *, overridden: bool) -> Options:
        values = table.values_for(place, overridden=overridden) if table is not None else {}
        options = Options(**{**values, **self._flags})
        if options.follow_installed and not environment(options.python).folders:
            raise ConfigError(f"python: {options.python} has no installed packages")
        named = {each.name: each for each in (*self._of_packages, *values.get("transforms", ()))}
        own = tuple(named.values())
        width = formatter_width(place.parent, self._widths)
        kept = self._kept.get(place, ())
        return dataclasses.replace(options, transforms=own, kept=kept, width=width)

    @functools.cached_property
    def _of_packages(self) -> tuple[OwnTransform, ...]:
        """The transforms that installed packages name."""
        found = installed_transforms()
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
                raise ConfigError(f"{each.where} like: nnx.{each.like} is not a transform{hint}")
