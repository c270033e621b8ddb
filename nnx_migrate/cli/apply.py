"""The command line of `nnx-migrate apply`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from nnx_migrate.cli.baseline.options import BaselineOptions
from nnx_migrate.cli.options import (
    Allow,
    Config,
    Docs,
    Exclude,
    Facts,
    FollowInstalled,
    Ignore,
    Jobs,
    Python,
    Quiet,
    Reports,
    RevertDifferent,
    Select,
    Unpin,
    Unsafe,
    Verbose,
    Verify,
    WithoutTraceChecks,
    WithoutUnsafe,
    given_flags,
    report_files,
)
from nnx_migrate.cli.output.options import OutputOptions
from nnx_migrate.cli.run_apply import Request, apply_paths, explain_place
from nnx_migrate.report.patches.split_by import SplitBy
from nnx_migrate.report.terminal import Colour

ReportFormat = Literal[
    "full", "concise", "grouped", "text", "json", "jsonl", "sarif", "github", "gitlab", "markdown"
]


def _gone(context: typer.Context, parameter: typer.CallbackParam, value: str | None) -> None:
    """Say what to do instead to who still passes an option that there was."""
    from nnx_migrate.sources.settings.files import NO_TARGET

    if value is not None:
        context.fail(f"{parameter.opts[0]} no longer exists: {NO_TARGET}; leave it out")


Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH...]", help="Files and folders, or `-` for stdin."),
]
Explain = Annotated[
    str | None,
    typer.Option(
        "--explain",
        metavar="FILE:LINE",
        help="Explain one place: what the tool knows about it, and why. Write nothing.",
    ),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Print the diff and the summary. Write nothing.")
]
Diff = Annotated[
    bool, typer.Option("--diff", help="Print only the diff, on stdout. Write nothing.")
]
Patch = Annotated[
    Path | None,
    typer.Option("--patch", metavar="FILE", help="Write the diff to FILE. Change no source."),
]
PatchBy = Annotated[
    SplitBy | None,
    typer.Option(
        "--patch-by",
        help="With --patch DIR: write one patch for each, a pull-request text, and a manifest.",
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="DIR", help="Also write a page for reviewers, DIR/index.html."),
]
Check = Annotated[
    bool, typer.Option("--check", help="Print the findings. Exit with 1 if anything is pending.")
]
Target = Annotated[
    str | None, typer.Option("--target", hidden=True, expose_value=False, callback=_gone)
]
Timeout = Annotated[
    int | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        min=1,
        help="Give up a file that takes longer, and report it.  [default: 300]",
    ),
]
Format = Annotated[
    ReportFormat,
    typer.Option(
        "--output-format",
        "--format",
        envvar="NNX_MIGRATE_OUTPUT_FORMAT",
        show_envvar=False,
        help="full: each cause with its code. concise: a line for each finding. grouped: each cause"
        " with all its places. The others are for programs: stdout has only the report.",
    ),
]
Baseline = Annotated[
    Path | None,
    typer.Option("--baseline", metavar="FILE", help="Leave out the findings that FILE lists."),
]
WriteBaseline = Annotated[
    Path | None,
    typer.Option(
        "--write-baseline", metavar="FILE", help="Write all findings to FILE. Change nothing else."
    ),
]
DiffBase = Annotated[
    str | None,
    typer.Option(
        "--diff-base",
        metavar="REV",
        help="Report only lines that changed since the branch left this commit.",
    ),
]
AddIgnores = Annotated[
    bool,
    typer.Option(
        "--add-ignores", help="Add a comment at each finding that keeps the code as it is."
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output", "-o", metavar="FILE", help="Write the report to FILE instead of stdout."
    ),
]
Statistics = Annotated[
    bool, typer.Option("--statistics", help="Count the findings by cause instead of listing them.")
]
Color = Annotated[Colour, typer.Option("--color", help="When to use color.")]
NoJournal = Annotated[bool, typer.Option("--no-journal", help="Don't keep what `undo` needs.")]
NoCache = Annotated[
    bool,
    typer.Option("--no-cache", help="Use no answers of earlier runs, and keep none."),
]
StdinFilename = Annotated[
    Path | None,
    typer.Option(
        "--stdin-filename",
        metavar="FILE",
        help="With `-`: the file that the text belongs to, for facts and configuration.",
    ),
]


def apply(
    context: typer.Context,
    paths: Paths = None,
    explain: Explain = None,
    dry_run: DryRun = False,
    diff: Diff = False,
    patch: Patch = None,
    patch_by: PatchBy = None,
    html: Html = None,
    check: Check = False,
    select: Select = None,
    ignore: Ignore = None,
    exclude: Exclude = None,
    config: Config = None,
    docs: Docs = False,
    allow: Allow = None,
    unsafe: Unsafe = False,
    on_unsafe: WithoutUnsafe = None,
    no_trace_checks: WithoutTraceChecks = False,
    unpin: Unpin = None,
    facts: Facts = None,
    follow_installed: FollowInstalled = False,
    python: Python = None,
    target: Target = None,
    jobs: Jobs = None,
    timeout: Timeout = None,
    output_format: Format = "full",
    reports: Reports = None,
    output: Output = None,
    statistics: Statistics = False,
    verbose: Verbose = False,
    quiet: Quiet = False,
    color: Color = Colour.AUTO,
    baseline: Baseline = None,
    write_baseline: WriteBaseline = None,
    diff_base: DiffBase = None,
    add_ignores: AddIgnores = False,
    no_journal: NoJournal = False,
    no_cache: NoCache = False,
    verify: Verify = False,
    revert_different: RevertDifferent = False,
    stdin_filename: StdinFilename = None,
) -> None:
    """Migrate files in place, or show what would change.

    \b
    Examples:
      nnx-migrate apply src/ tests/ --dry-run
      nnx-migrate apply src/ --diff > nnx.patch && git apply nnx.patch
      nnx-migrate apply src/ --patch patches --patch-by owner
      nnx-migrate apply src/ --select module-gradient,diff-state
      nnx-migrate apply src/ --check --output-format json > report.json
      nnx-migrate apply src/ --check --report sarif=nnx.sarif --report markdown=summary.md
      nnx-migrate apply src/ --write-baseline nnx-baseline.json    what is there today
      nnx-migrate apply src/ --check --baseline nnx-baseline.json  what is new since
      nnx-migrate apply src/ --check --diff-base origin/main       what this branch touches
      nnx-migrate apply src/ --dry-run --html review    then open review/index.html
      nnx-migrate apply src/ --verify      migrate, then run old and new code side by side
      nnx-migrate apply src/ --facts facts.json    after: nnx-migrate observe -- pytest
      nnx-migrate apply notebooks/ docs/ README.md --docs --dry-run
      nnx-migrate apply --explain src/train.py:42
      nnx-migrate apply --explain train.ipynb:4:2     cell 4, line 2
      nnx-migrate apply - --stdin-filename src/train.py < src/train.py

    \b
    A comment keeps a line or a file out:
      # nnx-migrate: ignore[module-gradient]
      # nnx-migrate: skip-file

    \b
    Exit codes:
      0  nothing is left to do
      1  changes are pending (--check, --dry-run, --diff, --patch), a place needs you,
         or a file failed
      2  the command line or the configuration is wrong, a PATH doesn't exist, or the tool failed
    """
    request = Request(
        previews=dry_run or diff,
        only_diff=diff,
        check=check,
        patch=patch,
        patch_by=patch_by,
        html=html,
        output=OutputOptions(output_format, verbose, quiet, statistics, color, output),
        reports=report_files(reports or ()),
        verify=verify or revert_different,
        revert=revert_different,
        journal=not no_journal,
        cached=not no_cache,
        facts=facts,
        baseline=BaselineOptions(baseline, write_baseline, diff_base, add_ignores),
    )
    flags = given_flags(
        select=select,
        ignore=ignore,
        exclude=exclude,
        config=config,
        docs=docs,
        allow=allow,
        unsafe=unsafe,
        on_unsafe=on_unsafe,
        no_trace_checks=no_trace_checks,
        unpin=unpin,
        follow_installed=follow_installed,
        python=python,
        jobs=jobs,
        timeout=timeout,
    )
    if explain is not None:
        context.exit(explain_place(explain, flags, facts))
    if not paths:
        context.fail("name files or folders, as in: nnx-migrate apply src/ --dry-run")
    from nnx_migrate.engine.workers import uncollected

    # What is imported stays, too.
    with uncollected():
        code = apply_paths(paths, flags, request, stdin_filename)
    context.exit(code)
