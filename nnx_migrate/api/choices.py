"""What may be chosen for a run, by the names of `nnx-migrate apply`, and what it comes to."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, TypedDict

from nnx_migrate.core.pins import KeptPlace
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.facts.observed_facts import ObservedFacts


class Choices(TypedDict, total=False):
    """Each beats the configuration files; what is left out is as they say.

    Args:
        select: names of the rules to run.
        ignore: names of rules not to run.
        allow: names of what rewrites may assume.
        unsafe: let rewrites assume all of that.
        on_unsafe: otherwise pin such a place, or leave it.
        trace_checks: write code that checks when jax traces it what is not proved.
        unpin: plan all that looks like a pin of an earlier run again (True), or no pin (False).
        follow_installed: look into installed packages that get objects with shared parts.
        python: the environment of these packages.
        timeout: seconds for one file.
        docs: look into Markdown, reStructuredText and doctests, too.
        exclude: .gitignore patterns of files to leave alone, relative to the current folder.
        config: the configuration file for all files.
    """

    select: Iterable[str]
    ignore: Iterable[str]
    allow: Iterable[str]
    unsafe: bool
    on_unsafe: Literal["pin", "leave"]
    trace_checks: bool
    unpin: bool
    follow_installed: bool
    python: str
    timeout: int
    docs: bool
    exclude: Iterable[str]
    config: str | Path


def configuration_of(
    choices: Choices,
    facts: ObservedFacts | None = None,
    kept: Mapping[Path, tuple[KeptPlace, ...]] = MappingProxyType({}),
) -> Configuration:
    """Return the configuration of a run.

    Args:
        choices: what was chosen for all files.
        facts: what runs have shown of the files.
        kept: by file (absolute), the places that are pinned in any case.

    Raises:
        ConfigError: one names an unknown rule or permission, or the file cannot be obeyed.
    """

    def known_rules() -> Collection[str]:
        from nnx_migrate.rewrite.model.registry import rule_entries

        return rule_entries().keys()

    def known_transforms() -> Collection[str]:
        from nnx_migrate.analysis.flax.transforms import of_nnx

        return of_nnx(lambda known: known.is_site)

    flags = {name: value for name, value in choices.items() if name != "config"}
    for name in ("select", "ignore"):
        if name in flags:
            flags[name] = frozenset(choices[name])
    file = Path(choices["config"]) if "config" in choices else None
    return Configuration(flags, known_rules, known_transforms, facts, file, kept)
