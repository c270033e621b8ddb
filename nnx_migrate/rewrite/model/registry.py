"""The rules that are installed, found through the entry-point group `nnx_migrate.codemods`.

A team adds rules for its own wrappers by registering them there; the built-in ones have no other
way in. A rule is an object with a `name`, in a module whose docstring is its manual page.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import importlib.metadata
import inspect
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from nnx_migrate.sources.config_values import did_you_mean

GROUP = "nnx_migrate.codemods"
#: What is said where the package itself is not registered properly.
NO_RULES = (
    f"no rules are installed (nothing is registered as {GROUP}), so the installation is broken; "
    "install nnx-migrate again with pip"
)
#: What the dotted names of transforms begin with; those of nnx alone are written without "nnx.".
_OWNERS = frozenset({"jax", "GraphDef", "Module"})


class UnknownRule(LookupError):
    """No rule of that name is installed; the text suggests one."""


class BrokenRule(RuntimeError):
    """An installed rule cannot be loaded; the text names it and says why."""


@dataclasses.dataclass(frozen=True, slots=True)
class RuleEntry:
    """One installed rule, not yet imported.

    Args:
        name: what users call it.
        entry_point: where it comes from.
    """

    name: str
    entry_point: importlib.metadata.EntryPoint

    def load(self) -> Any:
        """Return the rule object.

        Raises:
            BrokenRule: it cannot be imported, does not bear the name it is registered under, or
                asks for a transform that no site is ever of.
        """
        try:
            rule = self.entry_point.load()
        except Exception as error:
            raise BrokenRule(f"rule {self.name} ({self.entry_point.value}): {error}") from error
        if getattr(rule, "name", None) != self.name:
            raise BrokenRule(
                f"rule {self.name} ({self.entry_point.value}) calls itself "
                f"{getattr(rule, 'name', None)!r}"
            )
        if strange := sorted(
            name for name in getattr(rule, "transforms", ()) if _never_a_site(name)
        ):
            raise BrokenRule(
                f"rule {self.name} ({self.entry_point.value}) would find nothing: {strange[0]!r} "
                "is a name of neither nnx nor jax; to include a wrapper, say what it is "
                f'like in [tool.nnx-migrate.transforms."{strange[0]}"]'
            )
        return rule

    def manual(self) -> str:
        """Return the manual page: the docstring of the rule's module.

        Raises:
            BrokenRule: the module cannot be imported.
        """
        try:
            module = importlib.import_module(self.entry_point.module)
        except Exception as error:
            raise BrokenRule(f"rule {self.name} ({self.entry_point.value}): {error}") from error
        return inspect.cleandoc(module.__doc__ or "This rule has no manual page.")


def _never_a_site(transform: str) -> bool:
    """Whether no site has this transform: it begins with no name that sites have."""
    # A rule has imported the analysis; who only lists the rules has not.
    from nnx_migrate.analysis.flax.transforms import AS_VALUE, OTHER_PACKAGE, SITE_NAMES

    owner, dot, _ = transform.partition(".")
    if dot:
        return owner not in _OWNERS
    return transform not in SITE_NAMES and transform not in {AS_VALUE, OTHER_PACKAGE}


# What is installed beside this program does not change while it runs.
@functools.cache
def rule_entries() -> Mapping[str, RuleEntry]:
    """Return every installed rule by its name, in the order of the names.

    What is installed is looked up once a process: it reads the metadata of every distribution.
    """
    points = importlib.metadata.entry_points(group=GROUP)
    return MappingProxyType({point.name: RuleEntry(point.name, point) for point in sorted(points)})


def find_rule(name: str) -> RuleEntry:
    """Return the rule called `name`.

    Raises:
        UnknownRule: there is none.
    """
    entries = rule_entries()
    if name not in entries:
        hint = did_you_mean(name, entries) or "; 'nnx-migrate rule' lists them"
        raise UnknownRule(f"there is no rule named {name!r}{hint}")
    return entries[name]
