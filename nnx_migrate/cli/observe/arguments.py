"""The command line of `nnx-migrate observe`. Importing this imports no part of the engine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Command = Annotated[
    list[str] | None,
    typer.Argument(metavar="-- COMMAND...", help="What runs your code: tests, or a short training"),
]
Out = Annotated[
    Path,
    typer.Option("--out", metavar="FILE", help="Where the facts go; those that are there stay."),
]
Fresh = Annotated[bool, typer.Option("--fresh", help="Forget what earlier runs have shown.")]


def observe(
    context: typer.Context,
    command: Command = None,
    out: Out = Path("facts.json"),
    fresh: Fresh = False,
) -> None:
    """Run a command, and write down what your functions are given.

    The command runs unchanged, from the current folder. Of each function of the files below it, the
    types of its arguments are kept, how often it was called, and in which tests; no values. Then
    `apply --facts FILE` takes them where it cannot prove what an argument is. Facts of a file that
    changes afterwards no longer count.

    \b
    Examples:
      nnx-migrate observe -- pytest tests/
      nnx-migrate observe --out facts.json -- python train.py --steps 2
      nnx-migrate apply src/ --facts facts.json --dry-run

    \b
    Exit codes:
      that of the command; 2 where it cannot be run, or the facts cannot be written
    """
    if not command:
        context.fail("say what to run, as in: nnx-migrate observe -- pytest tests/")
    from nnx_migrate.cli.observe.run import observe_command

    context.exit(observe_command(command, out, fresh=fresh))
