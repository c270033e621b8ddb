"""The command line of `nnx-migrate pins`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from nnx_migrate.cli.options import Config, Docs, Exclude, Jobs, given_flags

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH...]", help="Files and folders.  [default: .]"),
]
By = Annotated[
    Literal["cause", "owner", "file"],
    typer.Option("--by", help="What places are grouped by; owners are those of CODEOWNERS."),
]
Format = Annotated[
    Literal["text", "json"], typer.Option("--format", help="For people, or for programs.")
]


def pins(
    context: typer.Context,
    paths: Paths = None,
    by: By = "cause",
    report_format: Format = "text",
    exclude: Exclude = None,
    config: Config = None,
    docs: Docs = False,
    jobs: Jobs = None,
) -> None:
    """List what is kept in graph mode, what keeps it, and the way out.

    Nothing is written. Each place that may be a pin of an earlier run is taken out in memory, and
    what the rules say of the code without it is its cause. `ours` is written as only nnx-migrate
    writes it; `ours or chosen` is written as it does and as people do; `chosen` is somebody's own
    choice of mode, and nothing is asked about it.

    \b
    Examples:
      nnx-migrate pins src/
      nnx-migrate pins --by owner
      nnx-migrate pins src/ --by file --format json > pins.json

    \b
    Exit codes:
      0  the list is whole
      1  a file could not be looked at
      2  the command line or the configuration is wrong, or a PATH does not exist
    """
    from nnx_migrate.cli.run_pins import list_pins

    flags = given_flags(docs=docs, unpin=True, exclude=exclude, config=config, jobs=jobs)
    files = [Path(path) for path in paths or ["."]]
    context.exit(list_pins(files, by, report_format, flags))
