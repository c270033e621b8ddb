"""The command line of `nnx-migrate campaign`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnx_migrate.cli.options import Allow, Config, Ignore, Select, Unsafe, given_flags

Command = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="-- COMMAND...", help="The command that runs your code: tests, or a short training."
    ),
]
Paths = Annotated[
    list[Path] | None,
    typer.Option(
        "--path",
        metavar="PATH",
        help="Migrate only this file or folder. Repeat for more.  [default: .]",
    ),
]
Branch = Annotated[
    str | None,
    typer.Option(
        "--branch", metavar="NAME", help="Commit the result on a new branch. Change no file."
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="How many calls are checked at once. Each takes three processes.",
    ),
]
AllowFailing = Annotated[
    bool,
    typer.Option(
        "--allow-failing", help="Continue even if the command fails on your code as it is now."
    ),
]
Html = Annotated[
    Path | None,
    typer.Option("--html", metavar="DIR", help="Also write a page for reviewers, DIR/index.html."),
]


def campaign(
    context: typer.Context,
    command: Command = None,
    paths: Paths = None,
    branch: Branch = None,
    select: Select = None,
    ignore: Ignore = None,
    config: Config = None,
    allow: Allow = None,
    unsafe: Unsafe = False,
    jobs: Jobs = 1,
    allow_failing: AllowFailing = False,
    html: Html = None,
) -> None:
    """Observe a run of COMMAND, migrate, and check with the same run.

    The command runs once unchanged, and shows what your functions get. Then the tool migrates a
    copy of the project, and repeats the calls on the old and the new code in both modes.
    Each place that differs goes back to graph mode, until none differs. Last, the command runs on
    the migrated copy in both modes. Only then do your files change, or does the branch appear. The
    report is in .nnx-migrate/campaign.

    \b
    Examples:
      nnx-migrate campaign -- pytest tests/
      nnx-migrate campaign --branch tree-mode -- pytest tests/
      nnx-migrate campaign --path src/ -- python train.py --steps 2

    \b
    Exit codes:
      0  every place is proved, equal, or kept in graph mode, and the command ends as before
      1  a place or a file needs you, or the command ends differently on the new code; if it
         does so under today's default, no file changes
      2  the command line is wrong, or the command can't run, or it fails on your code as it
         is now (--allow-failing continues)
    """
    if not command:
        context.fail("name the command to run, as in: nnx-migrate campaign -- pytest tests/")
    from nnx_migrate.cli.observe.run_campaign import Request, run_campaign

    flags = given_flags(select=select, ignore=ignore, config=config, allow=allow, unsafe=unsafe)
    request = Request(tuple(command), tuple(paths or [Path()]), branch, jobs, html, allow_failing)
    context.exit(run_campaign(request, flags))
