"""Runs over real and hostile files, for the reports to tell of."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.totals import count
from nnx_migrate.report.levels import Report
from nnx_migrate.sources.walk.discovery import problem
from tests.hazards.running import migrated
from tests.hazards.sources import SOURCES

#: Characters that mean something to Markdown, HTML, GitHub, workflow commands, tables or SARIF.
NASTY = "`a` | <img src=x onerror=alert(1)> @octocat #1 ``b``\r\n::error::%0A [c](1), \u202e\udce9 "


def _stored(text: str, number: int) -> bytes:
    ways: list[Callable[[], bytes]] = [
        lambda: text.encode(),
        lambda: b"\xef\xbb\xbf" + text.encode(),
        lambda: text.replace("\n", "\r\n").encode(),
        lambda: text.replace("\n", "\r").encode(),
        lambda: f"# coding: latin-1\n# é\n{text}".encode("latin-1", "replace"),
        lambda: f"x = '😀'; y = '\u2028'  # \x0c\n{text}".encode(),
    ]
    return ways[number % len(ways)]()


@functools.cache
def real_run() -> Report:
    """Every fourth hazard, stored in every way, and files that could not be done."""
    results = [
        FileResult(
            Path(f"src/a b/{number}-é.py"),
            result.status,
            result.before,
            result.after,
            result.findings,
            result.reason,
            result.edits,
            result.encoding,
        )
        for number, name in enumerate(sorted(SOURCES)[::4])
        for result in [migrated(_stored(SOURCES[name].text, number))]
    ]
    results += [
        problem("src/gone.py", FileStatus.FAILED, "missing-path", "there is no such file"),
        FileResult(Path("src/put-back.py"), FileStatus.REVERTED, b"", b"", (), "a comment lost"),
        FileResult(Path("src/skipped.py"), FileStatus.SKIPPED, b"", b"", (), "skip-file"),
    ]
    return report_of(results)


def nasty_run(text: str = NASTY, copies: int = 1) -> Report:
    """A run in which all that comes from the user is `text`."""
    finding = Finding("state-axes", 3, 4, Outcome.MANUAL, text)
    pinned = Finding(text, 3, 4, Outcome.PINNED, text)
    name = Path("src") / text.replace("/", "").replace("\0", "")
    result = FileResult(name, FileStatus.UNCHANGED, b"", b"", (finding, pinned), text)
    return report_of([result] * copies)


def report_of(results: list[FileResult]) -> Report:
    """The report of a run that wrote nothing."""
    return Report(tuple(results), count(results, len(results)), False, Path.cwd())
