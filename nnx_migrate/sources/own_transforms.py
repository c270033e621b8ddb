"""A project's own transforms: wrappers of those of nnx, and what each is like.

    [tool.nnx-migrate.transforms."acme.training.fancy_jit"]
    like = "nnx.jit"                        # it is called on a function, as nnx.jit is
    renamed = { frozen = "static_argnums" } # its keywords for options of nnx.jit
    bound = ["donate_argnums"]              # options of nnx.jit that it gives by itself
    own = ["label"]                         # its keywords that are nothing to nnx.jit
    passes = ["graph", "graph_updates"]     # keywords that it hands to nnx.jit; true for all others
    compat = "acme.training.graph_jit"      # its form for graph mode, which pins write

A package that others use says the same by entry points of the group `nnx_migrate.transforms`: the
name of one is that of the wrapper, and its object a dictionary with these keys.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.metadata
from collections.abc import Mapping

from nnx_migrate.sources.config_values import ConfigError

GROUP = "nnx_migrate.transforms"


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class OwnTransform:
    """One wrapper of a project, and the transform that it is like.

    Args:
        name: its absolute dotted name.
        like: the name of that transform, after `nnx.`.
        renamed: its keywords, each with the option of the transform that it is for.
        bound: options of the transform that it gives by itself.
        own: its keywords that are nothing to the transform.
        passes: keywords that it hands on under their names; None for all that are not named above.
        compat: the absolute dotted name of its form for graph mode, if there is one.
        where: where that is said, for messages.
    """

    name: str
    like: str
    renamed: tuple[tuple[str, str], ...] = ()
    bound: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    passes: frozenset[str] | None = frozenset()
    compat: str = ""
    where: str = dataclasses.field(default="", compare=False)

    def __repr__(self) -> str:
        """The same in every process: what is kept of a run is found again by it."""
        passes = None if self.passes is None else sorted(self.passes)
        named = (self.renamed, sorted(self.bound), sorted(self.own), passes)
        return f"OwnTransform{(self.name, self.like, *named, self.compat)}"

    def option(self, keyword: str) -> str | None:
        """The option of the transform that a keyword of the wrapper is for, if it is for one."""
        if keyword in self.own:
            return None
        return dict(self.renamed).get(keyword, keyword)

    def keyword(self, option: str) -> str | None:
        """The keyword by which the wrapper is told an option; None where it is told none."""
        for keyword, meant in self.renamed:
            if meant == option:
                return keyword
        if option in self.bound or option in self.own:
            return None
        return option if self.passes is None or option in self.passes else None


def read_transforms(where: str, table: object) -> tuple[OwnTransform, ...]:
    """Read the wrappers that a table names.

    Args:
        where: the table, for messages.
        table: by the dotted name of each wrapper, what it is like.

    Raises:
        ConfigError: an entry cannot be obeyed.
    """
    if not isinstance(table, Mapping):
        raise ConfigError(f"{where} must be a table with a table for each wrapper, not {table!r}")
    return tuple(_read(f'{where}."{name}"', name, entry) for name, entry in table.items())


# What is installed beside this program does not change while it runs.
@functools.cache
def installed_transforms() -> tuple[OwnTransform, ...]:
    """The wrappers that installed packages name, looked up once a process.

    Raises:
        ConfigError: an entry cannot be loaded, or not be obeyed.
    """
    found = []
    points = importlib.metadata.entry_points(group=GROUP)
    for point in sorted(each for each in points if each.group == GROUP):
        where = f"entry point {point.name} = {point.value} ({GROUP})"
        try:
            entry = point.load()
        except Exception as error:
            raise ConfigError(f"{where}: {error}; install its package again") from error
        found.append(_read(where, point.name, entry))
    return tuple(found)


def _read(where: str, name: str, entry: object) -> OwnTransform:
    from nnx_migrate.sources.settings.reading import read_values
    from nnx_migrate.sources.settings.tables import OwnTransformTable

    _check_name(where, name)
    values = read_values(where, entry, OwnTransformTable)
    if "compat" in values:
        _check_name(f"{where} compat", values["compat"])
    passes = values.get("passes", False)
    return OwnTransform(
        name,
        values["like"].removeprefix("nnx."),
        tuple(sorted(values.get("renamed", {}).items())),
        frozenset(values.get("bound", ())),
        frozenset(values.get("own", ())),
        None if passes is True else frozenset(passes or ()),
        values.get("compat", ""),
        where,
    )


def _check_name(where: str, name: str) -> None:
    parts = name.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise ConfigError(f'{where}: {name!r} is not an absolute name, such as "acme.training.jit"')
