"""Places that were found in the text of a later round, as places in the file as it was."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable

from nnx_migrate.core.findings import Finding
from nnx_migrate.core.place import REFERENCE, Place, written_out

#: A line of the file at hand, which some sentences name in plain words.
_LINES = re.compile(rf"{REFERENCE.pattern}|\blines? (?P<lines>\d+(?:, \d+)*)")


def moved(finding: Finding, module: str, original: Callable[[int], int]) -> Finding:
    """A finding whose places in its own file, but for its own, are those of another text.

    Args:
        module: of the file.
        original: gives the line in the other text.
    """

    def at(place: Place) -> Place:
        return Place(module, original(place.line)) if _inside(place, module) else place

    def told(text: str) -> str:
        return written_out(
            lines_named(text, lambda line: str(original(line))), lambda p: str(at(p))
        )

    evidence = tuple(
        dataclasses.replace(
            each,
            claim=told(each.claim),
            where=at(each.where) if isinstance(each.where, Place) else each.where,
        )
        for each in finding.evidence
    )
    return dataclasses.replace(finding, message=told(finding.message), evidence=evidence)


def lines_named(text: str, named: Callable[[int], str]) -> str:
    """A sentence that names lines of the file at hand in another way.

    Args:
        named: what to write for a line: its number, or "cell 2, line 3".
    """

    def replaced(match: re.Match[str]) -> str:
        if match["lines"] is None:
            return match[0]
        words = [named(int(line)) for line in match["lines"].split(", ")]
        if words[0].startswith("cell"):
            return "; ".join(words)
        return f"{'line' if len(words) == 1 else 'lines'} {', '.join(words)}"

    return _LINES.sub(replaced, text) if "line" in text else text


def _inside(place: Place, module: str) -> bool:
    return place.module == module and place.line > 0
