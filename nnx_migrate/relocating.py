"""Words that name lines of a virtual module, as words that name lines that a reader sees."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from nnx_migrate.outcomes import Finding


def told_at(finding: Finding, path: str, named: Callable[[int, str], str]) -> Finding:
    """A finding whose words name other lines of its file."""
    evidence = tuple(
        dataclasses.replace(
            each,
            claim=relocated(each.claim, path, named),
            where=relocated(each.where, path, named),
        )
        for each in finding.evidence
    )
    return dataclasses.replace(
        finding, message=relocated(finding.message, path, named), evidence=evidence
    )


def relocated(text: str, path: str, named: Callable[[int, str], str]) -> str:
    """A text that names other lines.

    Args:
        named: what to write for a line, behind "path:" (then given ":") or "line " (given "").
    """
    pattern = rf"(?P<path>{re.escape(path)}:)(?P<at>\d+)|\blines? (?P<lines>\d+(?:, \d+)*)"

    def replaced(match: re.Match[str]) -> str:
        if match["path"]:
            return match["path"] + named(int(match["at"]), ":")
        words = [named(int(line), "") for line in match["lines"].split(", ")]
        if words[0].startswith("cell"):
            return "; ".join(words)
        return f"{'line' if len(words) == 1 else 'lines'} {', '.join(words)}"

    return re.sub(pattern, replaced, text)
