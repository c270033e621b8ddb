"""The command line of `nnx-migrate campaign`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nnx_migrate.cli.options import Allow, Config, Ignore, Select, Unsafe, given_flags

Command = Annotated[
    list[str] | None,
    typer.Argument(metavar="-- COMMAND...", help="What runs your code: tests, or a short training"),
]
Paths = Annotated[
    list[Path] | None,
    typer.Option("--path", metavar="PATH", help="Migrate these alone.  [default: .]"),
]
Branch = Annotated[
    str | None,
    typer.Option(
        "--branch", metavar="NAME", help="Commit the result on a new branch; change no file."
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="Calls checked at once, in three processes each.",
    ),
]
AllowFailing = Annotated[
    bool,
    typer.Option("--allow-failing", help="Go on where the command fails as your code is now."),
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
    """Migrate what a run of COMMAND shows to hold, and check it by the same run.

    The command runs once as it is, and shows what your functions are given. The project is then
    migrated in a copy, the calls of the command are made again on the old and the new code in both
    modes, and each place that differs is put back to graph mode, until none does. Last the command
    runs on the migrated copy in both modes. Only then are your files changed, or a branch is made.
    The report lies in .nnx-migrate/campaign.

    \b
    Examples:
      nnx-migrate campaign -- pytest tests/
      nnx-migrate campaign --branch tree-mode -- pytest tests/
      nnx-migrate campaign --path src/ -- python train.py --steps 2

    \b
    Exit codes:
      0  every place is proved, equal, or kept in graph mode, and the command ends as before
      1  a place or a file is left for you, or the command ends otherwise on the new code;
         where it does under today's default, nothing is written
      2  the command line is wrong, or the command cannot be run, or fails as your code is
         now (--allow-failing goes on)
    """
    if not command:
        context.fail("say what to run, as in: nnx-migrate campaign -- pytest tests/")
    from nnx_migrate.cli.observe.run_campaign import Request, run_campaign

    flags = given_flags(select=select, ignore=ignore, config=config, allow=allow, unsafe=unsafe)
    request = Request(tuple(command), tuple(paths or [Path()]), branch, jobs, html, allow_failing)
    context.exit(run_campaign(request, flags))
