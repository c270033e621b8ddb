"""What `nnx-migrate apply --add-ignores` does: comments that keep out what is there today."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable
from pathlib import Path

from nnx_migrate.core.findings import FileResult, Outcome
from nnx_migrate.core.totals import ATTENTION, RunResult
from nnx_migrate.report.manuals import is_rule
from nnx_migrate.report.text import plural, printable
from nnx_migrate.rewrite.text.ignore_comments import with_ignores
from nnx_migrate.sources.documents.kinds import is_document
from nnx_migrate.sources.text import decode
from nnx_migrate.sources.walk.scanning import read_file
from nnx_migrate.sources.write import Replacement, WriteError, Writer

#: Code that stays may concern a rule that had nothing to say of the rewrite, and that once more.
_MOST_RUNS = 4


@dataclasses.dataclass(slots=True)
class _Added:
    """How many comments were added, in which files, and the places that got none."""

    number: int = 0
    files: set[Path] = dataclasses.field(default_factory=set)
    left: list[str] = dataclasses.field(default_factory=list)


def add_ignores(run: RunResult, write: Writer, again: Callable[[], RunResult]) -> bool:
    """Write a comment behind each place that would change, that keeps it as it is.

    Args:
        run: wrote nothing.
        write: replaces a file.
        again: runs over the files as they are now, and writes nothing.

    Returns:
        Whether each place has one now.
    """
    added = _Added()
    for _ in range(_MOST_RUNS):
        before = added.number
        _add(run, write, added)
        if added.number == before:
            break
        run = again()
    print(
        f"{plural(added.number, 'ignore')} added in {plural(len(added.files), 'file')}.",
        file=sys.stderr,
    )
    for each in added.left:
        print(f"no comment fits at: {printable(each)}", file=sys.stderr)
    return not added.left


def _add(run: RunResult, write: Writer, added: _Added) -> None:
    added.left = []
    for result in run.results:
        if _lines(result):
            number, without = _ignored(result, write)
            added.number += number
            added.files |= {result.path} if number else set()
            added.left += without


def _ignored(result: FileResult, write: Writer) -> tuple[int, list[str]]:
    """Add the comments of one file; how many, and the places that got none."""
    wanted = _lines(result)
    places = {line: f"{result.path}:{line}" for line in wanted}
    if is_document(result.path):
        return 0, [f"{place} (not a Python file)" for place in places.values()]
    before = result.before or read_file(result.path)
    source = decode(result.path, before)
    text, without = with_ignores(source.text, wanted)
    number = sum(len(rules) for line, rules in wanted.items() if line not in without)
    if number:
        try:
            write(Replacement(result.path, before, source.encode(text)))
        except WriteError as error:
            return 0, [f"{place} ({error.reason})" for place in places.values()]
    return number, [places[line] for line in without]


def _lines(result: FileResult) -> dict[int, set[str]]:
    """The rules that found something, by line."""
    found: dict[int, set[str]] = {}
    for finding in result.findings if result.status not in ATTENTION else ():
        if finding.outcome is not Outcome.SAME and finding.line and is_rule(finding.rule):
            found.setdefault(finding.line, set()).add(finding.rule)
    return found
