"""The command line of `nnx-migrate observe`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Command = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="-- COMMAND...", help="The command that runs your code: tests, or a short training."
    ),
]
Out = Annotated[
    Path,
    typer.Option(
        "--out", metavar="FILE", help="The file of the facts. Facts that it has already stay."
    ),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Drop the facts of earlier runs.")]


def observe(
    context: typer.Context,
    command: Command = None,
    out: Out = Path("facts.json"),
    fresh: Fresh = False,
) -> None:
    """Run a command, and record what your functions get.

    The command runs unchanged, from the current folder. For each function in the files below it,
    the tool records the types of the arguments, how often it was called, and in which tests. It
    records no values. `apply --facts FILE` uses the types where it can't prove what an argument is.
    Facts about a file that changes afterwards no longer count.

    \b
    Examples:
      nnx-migrate observe -- pytest tests/
      nnx-migrate observe --out facts.json -- python train.py --steps 2
      nnx-migrate apply src/ --facts facts.json --dry-run

    \b
    Exit codes:
      that of the command, or 2 if it can't run or the facts can't be written
    """
    if not command:
        context.fail("name the command to run, as in: nnx-migrate observe -- pytest tests/")
    from nnx_migrate.cli.observe.run import observe_command

    context.exit(observe_command(command, out, fresh=fresh))
