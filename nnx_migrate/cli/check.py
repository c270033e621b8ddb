"""The command line of `nnx-migrate check`. Importing this imports neither jax nor flax."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, NoReturn

import typer

from nnx_migrate.cli.options import Config, Verbose

if TYPE_CHECKING:
    from nnx_migrate.check.jobs import Method
    from nnx_migrate.check.settings import CheckSettings

PlatformName = Literal["cpu", "gpu"]
ReportFormat = Literal["text", "json"]

_SIDE = "A folder, a program, or git:REVISION."
Old = Annotated[str, typer.Argument(metavar="OLD", help=_SIDE)]
New = Annotated[str, typer.Argument(metavar="NEW", help=_SIDE)]
Run = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[-- COMMAND...]", help="The command that calls your code. It runs once, on OLD."
    ),
]
Cases = Annotated[
    list[Path] | None,
    typer.Option("--cases", metavar="FILE", help="A file with cases. Repeat for more."),
]
Recording = Annotated[
    Path | None,
    typer.Option(
        "--recording",
        metavar="FILE",
        help="Keep the recorded calls in FILE. Without COMMAND, use the calls in FILE.",
    ),
]
Calls = Annotated[
    int, typer.Option("--calls", metavar="N", help="How many calls of each function to record.")
]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", metavar="TEXT", help="Run only cases with TEXT in their name."),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option("--exclude", metavar="TEXT", help="Run no cases with TEXT in their name."),
]
AllowUnchecked = Annotated[
    bool,
    typer.Option(
        "--allow-unchecked", help="Exit with 0 even if no case covers some code that differs."
    ),
]
Roots = Annotated[
    list[str] | None,
    typer.Option(
        "--root",
        metavar="DIR",
        help="A folder that imports start from, relative to OLD and NEW.  [default: src and .]",
    ),
]
Data = Annotated[
    list[str] | None,
    typer.Option(
        "--data",
        metavar="PATH",
        help="A path that git ignores and cases read. The copies of OLD and NEW get it too.",
    ),
]
Platform = Annotated[
    PlatformName | None,
    typer.Option("--platform", help="Where to run.  [default: JAX decides]"),
]
X64 = Annotated[bool, typer.Option("--x64", help="Let JAX compute in 64 bits.")]
Timeout = Annotated[
    float | None,
    typer.Option("--timeout", metavar="SECONDS", help="The time limit of a case.  [default: 120]"),
]
Memory = Annotated[
    float | None,
    typer.Option(
        "--memory", metavar="GB", help="The memory limit of a process.  [default: no limit]"
    ),
]
Tolerance = Annotated[
    list[str] | None,
    typer.Option(
        "--tolerance",
        metavar="DTYPE=REL",
        help="The relative tolerance for a dtype. 0 asks for equality. Repeat for more.",
    ),
]
WithCosts = Annotated[
    bool, typer.Option("--costs", help="Also measure traces, memory, flops, and time.")
]
NoProof = Annotated[bool, typer.Option("--no-proof", help="Run everything, and prove nothing.")]
Abstract = Annotated[
    bool,
    typer.Option(
        "--abstract",
        help="Prove on shapes alone, and run nothing. Models don't have to fit into memory.",
    ),
]
Jobs = Annotated[
    int,
    typer.Option(
        "--jobs",
        "-j",
        metavar="N",
        min=1,
        help="How many cases run at once. Each takes three processes.",
    ),
]
NoCache = Annotated[bool, typer.Option("--no-cache", help="Use no verdicts of earlier checks.")]
Format = Annotated[
    ReportFormat, typer.Option("--format", help="The format of the report, on stdout.")
]


def check(
    context: typer.Context,
    old: Old,
    new: New,
    command: Run = None,
    cases: Cases = None,
    recording: Recording = None,
    calls: Calls = 3,
    only: Only = None,
    exclude: Exclude = None,
    allow_unchecked: AllowUnchecked = False,
    roots: Roots = None,
    data: Data = None,
    platform: Platform = None,
    x64: X64 = False,
    timeout: Timeout = None,
    memory: Memory = None,
    tolerance: Tolerance = None,
    costs: WithCosts = False,
    no_proof: NoProof = False,
    abstract: Abstract = False,
    config: Config = None,
    no_cache: NoCache = False,
    jobs: Jobs = 1,
    report_format: Format = "text",
    verbose: Verbose = False,
) -> None:
    """Run old and new code, and report whether they compute the same.

    OLD and NEW are folders, single programs, or git:REVISION. The old code runs in graph mode, the
    new code in graph mode and in tree mode, each in its own process. COMMAND runs once on the old
    tree. The calls of every function that differs are recorded, and repeated on both sides.

    \b
    Examples:
      nnx-migrate check git:HEAD . -- pytest tests/
      nnx-migrate check old/ new/ -- python train.py --steps 2
      nnx-migrate check git:HEAD . --cases checks/cases.py
      nnx-migrate check before.py after.py --cases drive.py

    \b
    A case file has plain functions that say what to call, and with which arguments:
      from nnx_migrate.check import f32
      from training import Net, train_step
      def case_train_step(x: f32[16, 4], model: Net):
          return train_step, (model, x)

    \b
    Verdicts, from the strongest:
      proved       old and new are the same program, for all inputs of these shapes
      equal        they ran and not one number differs
      close        floats differ within tolerance, and a float64 run says it is rounding
      by callers   its interface changed, and everything that calls it was compared and passes
      different    with the first place, and a script that shows it again
      not checked  with the reason: a time limit, a crash, a case that cannot be built

    \b
    Exit codes:
      0  all that differs between OLD and NEW was checked, and passes: nothing is different
      1  something is different
      2  something was not checked (a case; or a function, file or notebook that differs and has
         no case, unless --allow-unchecked), or the command line is wrong
    """
    from nnx_migrate.cli.console import check_explained, errors_reported

    with errors_reported(), check_explained():
        from nnx_migrate.check.report import Table, as_json
        from nnx_migrate.check.run import CheckRequest, run_check
        from nnx_migrate.check.trees import opened_side

        with _told_to_programs(report_format == "json"):
            if abstract and (no_proof or costs):
                _wrong("--abstract runs nothing; leave out --no-proof and --costs")
            settings = _settings(new, config, roots or (), timeout, memory, tolerance or ())
            settings = dataclasses.replace(
                settings,
                exclude=(*settings.exclude, *(exclude or ())),
                allow_unchecked=settings.allow_unchecked or allow_unchecked,
                data=(*settings.data, *(data or ())),
            )
            if cases or command or recording is not None:
                # What is asked for counts in the place of what is configured, not beside it.
                settings = dataclasses.replace(
                    settings, cases=tuple(cases or ()), command=tuple(command or ())
                )
            request = CheckRequest(
                settings,
                only=tuple(only or ()),
                platform=platform or "",
                x64=x64,
                costs=costs,
                method=_method(no_proof=no_proof, abstract=abstract),
                cached=not no_cache,
                recording=recording,
                calls=calls,
                jobs=jobs,
            )
            table = None if report_format == "json" else Table(_write, verbose=verbose)
            with (
                opened_side("old", old, settings.roots, beside=new) as old_side,
                opened_side("new", new, settings.roots, beside=old) as new_side,
            ):
                report = run_check(old_side, new_side, request, table)
        if table is None:
            _write(as_json(report))
        else:
            table.end(report)
    context.exit(report.exit_code)


@contextlib.contextmanager
def _told_to_programs(wanted: bool) -> Iterator[None]:
    """Who asks for JSON gets JSON, also where nothing could be checked."""
    from nnx_migrate.check.cases.inputs import CannotCheck
    from nnx_migrate.check.report import as_json_error

    try:
        try:
            yield
        except KeyboardInterrupt:
            raise CannotCheck("interrupted before anything was checked") from None
    except Exception as error:
        if wanted:
            typer.echo(as_json_error(str(error) or type(error).__name__), nl=False)
        raise


def _write(text: str) -> None:
    typer.echo(text, nl=False)
    # Whoever reads this through a pipe is waiting for it, too.
    sys.stdout.flush()


def _method(*, no_proof: bool, abstract: bool) -> Method:
    from nnx_migrate.check.jobs import Method

    if abstract:
        return Method.PROVE_ON_SHAPES
    return Method.RUN if no_proof else Method.PROVE_OR_RUN


def _settings(
    new: str,
    config: Path | None,
    roots: Sequence[str],
    timeout: float | None,
    memory: float | None,
    tolerance: Sequence[str],
) -> CheckSettings:
    """The flags over the table `check` of the nearest configuration."""
    from nnx_migrate.check.settings import CheckSettings, settings_from, with_tolerances
    from nnx_migrate.sources.configuration import Configuration

    place = Path.cwd() if new.startswith("git:") else Path(new).resolve()
    table = Configuration(file=config).table_for(place if place.is_dir() else place.parent)
    settings = settings_from(table) if table is not None else CheckSettings()
    given: dict[str, float] = {}
    for word in tolerance:
        dtype, _, value = word.partition("=")
        try:
            given[dtype] = float(value)
        except ValueError:
            _wrong(f"--tolerance takes DTYPE=NUMBER, not {word!r}")
    return dataclasses.replace(
        settings,
        roots=tuple(roots) or settings.roots,
        timeout=settings.timeout if timeout is None else timeout,
        memory=settings.memory if memory is None else memory,
        tolerances={**settings.tolerances, **{d: with_tolerances(given)[d] for d in given}},
    )


def _wrong(message: str) -> NoReturn:
    from nnx_migrate.check.cases.inputs import CannotCheck

    raise CannotCheck(message)
