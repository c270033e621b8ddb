"""The command line of `nnx-migrate check`. Importing this imports neither jax nor flax."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

if TYPE_CHECKING:
    from nnx_migrate.check.jobs import Method
    from nnx_migrate.check.settings import CheckSettings

_FILE = click.Path(path_type=Path)


@click.command()
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.argument("command", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.option("--cases", metavar="FILE", type=_FILE, multiple=True, help="A file of cases.")
@click.option(
    "--recording",
    metavar="FILE",
    type=_FILE,
    help="Keep the recorded calls there; without COMMAND, use those that are there.",
)
@click.option(
    "--calls",
    metavar="N",
    type=int,
    default=3,
    show_default=True,
    help="Calls to record of each function.",
)
@click.option("--only", metavar="TEXT", multiple=True, help="Only cases with TEXT in their name.")
@click.option(
    "--root",
    "roots",
    metavar="DIR",
    multiple=True,
    help="A folder that imports start from, relative to OLD and NEW.  [default: src and .]",
)
@click.option(
    "--platform", type=click.Choice(["cpu", "gpu"]), help="Where to run.  [default: jax decides]"
)
@click.option("--x64", is_flag=True, help="Let jax compute in 64 bits.")
@click.option("--timeout", metavar="SECONDS", type=float, help="For a case.  [default: 120]")
@click.option("--memory", metavar="GB", type=float, help="For a process.  [default: no limit]")
@click.option(
    "--tolerance",
    metavar="DTYPE=REL",
    multiple=True,
    help="Relative tolerance of a dtype; 0 asks for equality.",
)
@click.option("--costs", is_flag=True, help="Also measure traces, memory, flops and time.")
@click.option("--no-proof", is_flag=True, help="Run everything, prove nothing.")
@click.option(
    "--abstract",
    is_flag=True,
    help="Prove on shapes alone and run nothing: models need not fit into memory.",
)
@click.option("--no-cache", is_flag=True, help="Do not take verdicts of earlier checks.")
@click.option(
    "--format",
    "report_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="The report, on stdout.",
)
@click.option("--verbose", "-v", is_flag=True, help="Say why there is no proof, and all notes.")
@click.pass_context
def check(
    context: click.Context,
    old: str,
    new: str,
    command: Sequence[str],
    cases: Sequence[Path],
    recording: Path | None,
    calls: int,
    only: Sequence[str],
    roots: Sequence[str],
    platform: str | None,
    x64: bool,
    timeout: float | None,
    memory: float | None,
    tolerance: Sequence[str],
    costs: bool,
    no_proof: bool,
    abstract: bool,
    no_cache: bool,
    report_format: str,
    verbose: bool,
) -> None:
    """Run old and new code and tell whether they compute the same.

    OLD and NEW are folders, single programs, or git:REVISION. The old code runs in graph mode, the
    new code in graph mode and in tree mode, each in a process of its own. COMMAND runs once on the
    old tree: the calls of every function that differs are recorded, and made again on both sides.

    \b
    Examples:
      nnx-migrate check git:HEAD . -- pytest tests/
      nnx-migrate check old/ new/ -- python train.py --steps 2
      nnx-migrate check git:HEAD . --cases checks/cases.py
      nnx-migrate check before.py after.py --cases drive.py

    \b
    A case file holds plain functions that say what to call with what:
      from nnx_migrate.check import f32
      from training import Net, train_step
      def case_train_step(x: f32[16, 4], model: Net):
          return train_step, (model, x)

    \b
    Verdicts, from the strongest:
      proved       old and new are the same program, for all inputs of these shapes
      equal        they ran and not one number differs
      close        floats differ within tolerance, and a float64 run says it is rounding
      different    with the first place, and a script that shows it again
      not checked  with the reason: a time limit, a crash, a case that cannot be built

    \b
    Exit codes:
      0  everything is proved, equal or close
      1  something is different
      2  something could not be checked, or the command line is wrong
    """
    from nnx_migrate.cli.console import check_explained, errors_reported

    with errors_reported(), check_explained():
        from nnx_migrate.check.run import CheckRequest, run_check, text_of
        from nnx_migrate.check.trees import opened_side

        if abstract and (no_proof or costs):
            _wrong("--abstract runs nothing: not with --no-proof or --costs")
        settings = _settings(new, roots, timeout, memory, tolerance)
        if cases or command or recording is not None:
            # What is asked for counts in the place of what is configured, not beside it.
            settings = dataclasses.replace(settings, cases=tuple(cases), command=tuple(command))
        request = CheckRequest(
            settings,
            only=tuple(only),
            platform=platform or "",
            x64=x64,
            costs=costs,
            method=_method(no_proof=no_proof, abstract=abstract),
            cached=not no_cache,
            recording=recording,
            calls=calls,
        )
        with (
            opened_side("old", old, settings.roots) as old_side,
            opened_side("new", new, settings.roots) as new_side,
        ):
            report = run_check(old_side, new_side, request)
        click.echo(text_of(report, json=report_format == "json", verbose=verbose), nl=False)
    context.exit(report.exit_code)


def _method(*, no_proof: bool, abstract: bool) -> Method:
    from nnx_migrate.check.jobs import Method

    if abstract:
        return Method.PROVE_ON_SHAPES
    return Method.RUN if no_proof else Method.PROVE_OR_RUN


def _settings(
    new: str,
    roots: Sequence[str],
    timeout: float | None,
    memory: float | None,
    tolerance: Sequence[str],
) -> CheckSettings:
    """The flags over the nearest `[tool.nnx-migrate.check]` table."""
    from nnx_migrate.check.settings import CheckSettings, settings_from, with_tolerances
    from nnx_migrate.sources.configuration import Configuration

    place = Path.cwd() if new.startswith("git:") else Path(new).resolve()
    table = Configuration({}).table_for(place if place.is_dir() else place.parent)
    settings = settings_from(table.file, table.check) if table is not None else CheckSettings()
    given: dict[str, float] = {}
    for word in tolerance:
        dtype, _, value = word.partition("=")
        try:
            given[dtype] = float(value)
        except ValueError:
            _wrong(f"--tolerance wants DTYPE=NUMBER, not {word!r}")
    return dataclasses.replace(
        settings,
        roots=tuple(roots) or settings.roots,
        timeout=settings.timeout if timeout is None else timeout,
        memory=settings.memory if memory is None else memory,
        tolerances={**settings.tolerances, **{d: with_tolerances(given)[d] for d in given}},
    )


def _wrong(message: str) -> NoReturn:
    from nnx_migrate.cli.console import stop

    stop(message)
