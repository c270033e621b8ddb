"""The rules that count for a file."""

from __future__ import annotations

from nnx_migrate.config import Options
from nnx_migrate.registry import rule_entries
from nnx_migrate.rewrite.rule import Rule


def active_rules(options: Options) -> list[Rule]:
    """The rules that are installed and selected, in the order of their names."""
    found = []
    for name, entry in rule_entries().items():
        selected = options.select is None or name in options.select
        if selected and name not in options.ignore:
            rule = entry.load()
            assert isinstance(rule, Rule)
            found.append(rule)
    return found
