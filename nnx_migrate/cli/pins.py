"""The command line of `nnx-migrate pins`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from nnx_migrate.cli.options import Config, Exclude, Jobs, given_flags

Paths = Annotated[
    list[str] | None,
    typer.Argument(metavar="[PATH...]", help="Files and folders.  [default: .]"),
]
Docs = Annotated[
    bool,
    typer.Option("--docs", help="Also read doctests, and all .md and .rst files in folders."),
]
By = Annotated[
    Literal["cause", "owner", "file"],
    typer.Option("--by", help="How to group the places. Owners come from CODEOWNERS."),
]
Format = Annotated[
    Literal["text", "json"],
    typer.Option("--format", help="The format of the list: for people, or for programs."),
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
    """List what stays in graph mode, why, and the way out.

    No file changes. For each place that may be a pin of an earlier run, the tool removes the pin in
    memory; what the rules report then is its cause. A pin `by nnx-migrate` is one that only
    nnx-migrate writes this way. `by nnx-migrate or by hand` may be its work or a person's. `by
    hand` is a person's own choice of mode, and has no cause.

    \b
    Examples:
      nnx-migrate pins src/
      nnx-migrate pins --by owner
      nnx-migrate pins src/ --by file --format json > pins.json

    \b
    Exit codes:
      0  the list is complete
      1  a file could not be read
      2  the command line or the configuration is wrong, or a PATH doesn't exist
    """
    from nnx_migrate.cli.run_pins import list_pins

    flags = given_flags(docs=docs, unpin=True, exclude=exclude, config=config, jobs=jobs)
    files = [Path(path) for path in paths or ["."]]
    context.exit(list_pins(files, by, report_format, flags))
