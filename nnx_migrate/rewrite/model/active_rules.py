"""The rules that count for a file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from nnx_migrate.rewrite.model.registry import NO_RULES, BrokenRule, rule_entries
from nnx_migrate.sources.config_values import ConfigError
from nnx_migrate.sources.configuration import Configuration, Options

if TYPE_CHECKING:
    from nnx_migrate.rewrite.model.rule import Rule


def active_rules(options: Options) -> list[Rule]:
    """The rules that are installed and selected, in the order of their names."""
    # A run that knows all answers needs no rule, and what rules import takes longer than it.
    from nnx_migrate.rewrite.model.rule import Rule

    found = []
    for name, entry in rule_entries().items():
        if options.runs(name):
            rule = entry.load()
            assert isinstance(rule, Rule)
            found.append(rule)
    return found


def require_rules(
    configuration: Configuration, files: Iterable[tuple[Path, Options]], *, loaded: bool = True
) -> None:
    """Stop a run that would look for nothing, so that "0 files would change" says something.

    Overrides may take all rules away from the paths that they name: then nothing is wrong.

    Args:
        configuration: of the run.
        files: what is to be looked at, and what counts there.
        loaded: see that those that run can be loaded.

    Raises:
        ConfigError: no rule is installed, none is selected, or one cannot be loaded.
    """

    def runs(options: Options) -> bool:
        return _loaded(options) if loaded else any(map(options.runs, rule_entries()))

    unruled = []
    for path, options in files:  # which rules are installed is not asked where there are none
        if not rule_entries():
            raise ConfigError(NO_RULES)
        if runs(options):
            return
        unruled.append(path)
    without = (configuration.options_for(path, overridden=False) for path in unruled)
    if unruled and not any(map(runs, without)):
        raise ConfigError(
            f"select and ignore leave none of the {len(rule_entries())} rules for {unruled[0]}; "
            "select a rule (to list them: nnx-migrate rule), or leave files out with exclude"
        )


def _loaded(options: Options) -> bool:
    """Whether any rule runs, and all that do can be loaded."""
    try:
        return bool(active_rules(options))
    except BrokenRule as error:
        raise ConfigError(
            f"{error}; install its package again, or leave it out with --ignore"
        ) from error
