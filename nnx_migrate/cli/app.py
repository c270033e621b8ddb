"""The command line: `nnx-migrate apply`, `batch`, `campaign`, `check` and the others.

What was asked for goes to stdout: a diff, migrated text, the findings of `--check`, or a format for
programs, alone. Every other word goes to stderr. Importing this imports no part of the engine.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from types import FrameType
from typing import Annotated

import typer

import nnx_migrate
from nnx_migrate.cli.apply import apply
from nnx_migrate.cli.batch import batch
from nnx_migrate.cli.check import check
from nnx_migrate.cli.guidance import Commands, complete_rule
from nnx_migrate.cli.observe.arguments import observe
from nnx_migrate.cli.observe.campaign import campaign
from nnx_migrate.cli.pins import pins
from nnx_migrate.cli.server.arguments import server

_COMPLETE = "_NNX_MIGRATE_COMPLETE"
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


app = typer.Typer(
    cls=Commands,
    context_settings=_SETTINGS,
    no_args_is_help=True,
    # Rich would cost 150 ms for each page of help, and take the layout of the examples apart.
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(given: bool) -> None:
    if given:
        typer.echo(f"nnx-migrate {nnx_migrate.__version__}")
        raise typer.Exit


@app.callback()
def commands(
    version: Annotated[
        bool,
        typer.Option(
            "--version", "-V", is_eager=True, callback=_version, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Move Flax NNX code from graph mode to tree mode.

    \b
    Look first, then write:
      nnx-migrate apply src/ --dry-run     show the diff and a summary, change nothing
      nnx-migrate apply src/               change the files
      nnx-migrate apply src/ --check       for CI: exit 1 when anything is left to do
      nnx-migrate check git:HEAD . --cases checks.py   run old and new side by side
      nnx-migrate batch . --out ../campaign   a large repository, in parts or on a cluster
      nnx-migrate observe -- pytest tests/    record what your functions get, for --facts
      nnx-migrate campaign -- pytest tests/   observe, migrate, check, and keep what holds
      nnx-migrate pins src/                what stays in graph mode, why, and the way out
      nnx-migrate rule module-gradient     what a rule finds, and when it is safe

    \b
    Names of options and rules complete at the tab key after nnx-migrate --install-completion,
    or with a line in the shell's own file, here for bash (zsh and fish work the same way):
      eval "$(_NNX_MIGRATE_COMPLETE=bash_source nnx-migrate)"
    """


app.command()(apply)
app.command()(batch)
app.command()(campaign)
app.command()(check)
app.command()(observe)
app.command()(pins)
app.command()(server)


@app.command()
def undo(
    context: typer.Context,
    run: Annotated[
        str | None,
        typer.Argument(
            metavar="[RUN]", help="The run to undo, or `last`. Without it: list the runs."
        ),
    ] = None,
) -> None:
    """Put back the files that a run wrote, or list the runs.

    RUN is a name that `apply` and the list print, or `last`. A file that was edited since then
    stays as it is. The list has the runs of the current folder; your state folder keeps them.

    \b
    Examples:
      nnx-migrate undo
      nnx-migrate undo last

    \b
    Exit codes:
      0  every file is as it was before the run
      1  a file stays as it is
      2  there is no such run
    """
    from nnx_migrate.cli.console import errors_reported
    from nnx_migrate.cli.run_undo import list_runs, undo_run

    with errors_reported():
        code = list_runs() if run is None else undo_run(run)
    context.exit(code)


@app.command()
def clean(context: typer.Context) -> None:
    """Remove the answers that runs of `apply` keep for the next run.

    This is always safe: the next run works them out again. What `undo` needs stays.

    \b
    Example:
      nnx-migrate clean
    """
    from nnx_migrate.cli.console import errors_reported, stop
    from nnx_migrate.engine.cache.user_cache import cache_folder, forget_answers

    with errors_reported():
        try:
            size = forget_answers()
        except OSError as error:
            stop(f"{error.filename or cache_folder()}: {error.strerror}")
    typer.echo(f"{cache_folder()}: {size / 1e6:,.1f} MB removed", err=True)
    context.exit(0)


@app.command()
def rule(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", autocompletion=complete_rule, help="The name of a rule."),
    ] = None,
) -> None:
    """List the rules, or print the manual page of one.

    \b
    Examples:
      nnx-migrate rule
      nnx-migrate rule state-axes
    """
    from nnx_migrate.cli.console import errors_reported, stop
    from nnx_migrate.report.manuals import without_codes
    from nnx_migrate.report.terminal import width_of
    from nnx_migrate.report.text import wrapped
    from nnx_migrate.rewrite.model.registry import (
        NO_RULES,
        BrokenRule,
        UnknownRule,
        find_rule,
        rule_entries,
    )

    with errors_reported():
        try:
            if name is not None:
                typer.echo(without_codes(find_rule(name).manual()))
                return
            entries = rule_entries()
            if not entries:
                stop(NO_RULES)
            width = max(map(len, entries), default=0)
            broken = None
            for entry in entries.values():
                try:
                    summary = entry.manual().splitlines()[0]
                except BrokenRule as error:
                    broken = error
                    continue
                line = f"{entry.name:<{width}}  {summary}"
                typer.echo("\n".join(wrapped(line, width_of(sys.stdout), " " * (width + 2))))
            if broken is not None:
                stop(str(broken))
        except (UnknownRule, BrokenRule) as error:
            stop(str(error))


def main() -> None:
    """Run the command line; the entry point of `nnx-migrate`."""
    _open_closed_streams()
    _end_as_by_interrupt()
    _take_either_order()
    try:
        app(prog_name="nnx-migrate")
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing may be flushed into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    finally:
        # A process that ends would look for circles of objects among all that the run has left.
        gc.freeze()


def _take_either_order() -> None:
    """Let the script of a shell be asked for as click has it, too: `bash_source`."""
    asked = os.environ.get(_COMPLETE, "")
    shell, _, instruction = asked.partition("_")
    if instruction in {"source", "complete"}:
        os.environ[_COMPLETE] = f"{instruction}_{shell}"


def _open_closed_streams() -> None:
    """Let no file that is written get the number of a stream that was closed for this process."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free: this one
            setattr(sys, name, os.fdopen(number, "w" if number else "r", closefd=False))


def _end_as_by_interrupt() -> None:
    """Let a scheduler, or a terminal that is closed, end this process as Ctrl-C does."""
    process = os.getpid()

    def end(number: int, frame: FrameType | None) -> None:
        if os.getpid() == process:
            raise KeyboardInterrupt
        # Processes that are forked from this one have nothing to put in order.
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)
