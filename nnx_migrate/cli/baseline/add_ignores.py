"""What `nnx-migrate apply --add-ignores` does: comments that keep out what is there today."""

from __future__ import annotations

import sys

from nnx_migrate.core.findings import FileResult, Outcome
from nnx_migrate.core.totals import ATTENTION, RunResult
from nnx_migrate.report.manuals import is_rule
from nnx_migrate.report.text import plural, printable
from nnx_migrate.rewrite.text.ignore_comments import with_ignores
from nnx_migrate.sources.documents.kinds import is_document
from nnx_migrate.sources.text import decode
from nnx_migrate.sources.walk.scanning import read_file
from nnx_migrate.sources.write import Replacement, WriteError, Writer


def add_ignores(run: RunResult, write: Writer) -> bool:
    """Write a comment behind each place that would change, that keeps it as it is.

    Args:
        run: wrote nothing.
        write: replaces a file.

    Returns:
        Whether each place has one now.
    """
    added = files = 0
    left: list[str] = []
    for result in run.results:
        if not _lines(result):
            continue
        number, without = _ignored(result, write)
        added += number
        files += bool(number)
        left += without
    print(f"{plural(added, 'ignore')} added in {plural(files, 'file')}.", file=sys.stderr)
    for each in left:
        print(f"no comment fits at: {printable(each)}", file=sys.stderr)
    return not left


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
