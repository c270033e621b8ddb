"""The report for people as a stream takes it, and the command that comes next."""

from __future__ import annotations

import shlex
import sys
from typing import TextIO

from nnx_migrate.cli.output.options import OutputOptions
from nnx_migrate.core.findings import FileStatus
from nnx_migrate.core.totals import RunResult
from nnx_migrate.engine.run import pending
from nnx_migrate.report.human.causes import shown_findings
from nnx_migrate.report.human.rendering import Form, Look, next_steps, render_text
from nnx_migrate.report.terminal import paint_for, table_for, width_of
from nnx_migrate.sources.imports.module_names import repository_of

_CHECK = "nnx-migrate check git:HEAD . -- pytest"
#: What `apply` is called without when it is to write.
_FLAGS = frozenset(
    {"--dry-run", "--check", "--diff", "-q", "--quiet", "-v", "--verbose", "--statistics"}
)
_SELECTING = frozenset({"--baseline", "--diff-base"})
_WITH_VALUE = frozenset(
    {"--output-format", "--format", "-o", "--output", "--color", "--report", "--html", "--jobs"}
)


def tells_something(result: RunResult, output: OutputOptions) -> bool:
    """Whether a report has more in it than that nothing was found."""
    return not output.for_people or any(shown_findings(result.results, verbose=output.verbose))


def rendered(
    result: RunResult, output: OutputOptions, stream: TextIO, *, written: bool, proposes: bool
) -> str:
    """The report of a run.

    Args:
        result: the run.
        output: what it looks like.
        stream: where it goes, unless `output` names a file.
        written: the files were changed; otherwise they would be.
        proposes: end with what to do next.
    """
    to_file = output.file is not None
    form = Form.FULL if output.format == "text" else Form(output.format)
    paint = None if to_file else paint_for(stream, output.colour)
    look = Look(
        form,
        verbose=output.verbose,
        quiet=output.quiet,
        statistics=output.statistics,
        paint=paint,
        table=None if to_file else table_for(stream, output.colour),
        width=None if to_file else width_of(stream),
    )
    steps: list[str] = []
    if proposes and form is not Form.CONCISE:
        steps = next_steps(
            shown_findings(result.results, verbose=False),
            apply=None if written or not pending(result.results) else _apply_command(),
            check=_CHECK if written and _in_repository(result) else None,
            explain=None if written else "nnx-migrate apply --explain",
            pins="nnx-migrate pins",
            paint=paint,
        )
    return render_text(result.results, result.totals, look, written=written, next_steps=steps)


def _in_repository(result: RunResult) -> bool:
    """Whether files were changed whose old code git has."""
    changed = [each.path for each in result.results if each.status is FileStatus.CHANGED]
    return bool(changed) and repository_of(changed[0]) is not None


def _apply_command() -> str | None:
    """The command of this run, to be run again so that it writes; None where that does not exist.

    What is new since a baseline can be shown, and not changed alone.
    """
    words: list[str] = []
    given = iter(sys.argv[1:])
    for word in given:
        if word.partition("=")[0] in _SELECTING:
            return None
        if word in _WITH_VALUE:
            next(given, None)
        elif word not in _FLAGS and word.partition("=")[0] not in _WITH_VALUE:
            words.append(word)
    return shlex.join(["nnx-migrate", *words])
