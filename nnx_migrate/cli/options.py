"""The options that commands share, each declared once; importing this imports no engine.

A command takes one as `select: Select = None`: the default stands in its signature, the name, the
type and the help stand here. An option of one command only is declared in front of that command.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from nnx_migrate.cli.guidance import complete_permission, complete_rule
from nnx_migrate.cli.output.options import MACHINE
from nnx_migrate.core.permissions import Permission

OnUnsafe = Literal["pin", "leave"]

Select = Annotated[
    list[str] | None,
    typer.Option(
        "--select",
        metavar="RULE",
        autocompletion=complete_rule,
        help="Run only these rules (a,b or repeat the option).",
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="RULE",
        autocompletion=complete_rule,
        help="Don't run these rules (a,b or repeat the option).",
    ),
]
Exclude = Annotated[
    list[str] | None,
    typer.Option(
        "--exclude",
        metavar="PATTERN",
        help="Leave these files alone (a .gitignore pattern; repeat for more). They are still read,"
        " as the other files of the project are.",
    ),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        exists=True,
        dir_okay=False,
        help="Use this configuration for all files.  [default: the nearest nnx-migrate.toml, or"
        " pyproject.toml with [tool.nnx-migrate]]",
    ),
]
Docs = Annotated[
    bool,
    typer.Option("--docs", help="Also migrate doctests, and all .md and .rst files in folders."),
]
Unsafe = Annotated[
    bool, typer.Option("--unsafe", help="Let rewrites assume everything that --allow can name.")
]
Allow = Annotated[
    list[str] | None,
    typer.Option(
        "--allow",
        metavar="NAME",
        autocompletion=complete_permission,
        help=f"Let rewrites assume this (a,b or repeat the option): {', '.join(Permission)}.",
    ),
]
WithoutUnsafe = Annotated[
    OnUnsafe | None,
    typer.Option(
        "--on-unsafe",
        help="What to do where a rewrite would need an assumption: pin the place in graph mode, or"
        " leave it.  [default: pin]",
    ),
]
WithoutTraceChecks = Annotated[
    bool,
    typer.Option(
        "--no-trace-checks",
        help="Pin each gradient that would be rewritten with a check at trace time.",
    ),
]
Unpin = Annotated[
    bool | None,
    typer.Option(
        "--unpin/--no-unpin",
        help="Plan all pins again that an earlier run may have written, or none."
        "  [default: pins that only nnx-migrate writes this way]",
    ),
]
Facts = Annotated[
    Path | None,
    typer.Option(
        "--facts",
        metavar="FILE",
        help="Where a proof is missing, use what `nnx-migrate observe` recorded.",
    ),
]
FollowInstalled = Annotated[
    bool,
    typer.Option(
        "--follow-installed",
        help="Also read installed packages that get objects with shared parts.",
    ),
]
Python = Annotated[
    Path | None,
    typer.Option(
        "--python",
        metavar="PATH",
        help="With --follow-installed: the environment that has the packages, or its interpreter."
        " It isn't run.  [default: the active one]",
    ),
]
Jobs = Annotated[
    int | None,
    typer.Option(
        "--jobs",
        metavar="N",
        min=1,
        help="Worker processes.  [default: as many as processors, up to 8]",
    ),
]
Verify = Annotated[
    bool,
    typer.Option(
        "--verify",
        help="After writing, run what [tool.nnx-migrate.check] names on the old and the new code.",
    ),
]
RevertDifferent = Annotated[
    bool, typer.Option("--revert-different", help="With --verify: put back the files that differ.")
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Also list what is unchanged or unproved, with evidence and notes."
    ),
]

Reports = Annotated[
    list[str] | None,
    typer.Option(
        "--report",
        metavar="FORMAT=FILE",
        help="Also write the report to FILE, in a format for programs. Repeat for more.",
    ),
]
Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print findings only: no progress and no summary.")
]


def given_flags(
    *,
    select: Sequence[str] | None = None,
    ignore: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    config: Path | None = None,
    docs: bool = False,
    allow: Sequence[str] | None = None,
    unsafe: bool = False,
    on_unsafe: OnUnsafe | None = None,
    no_trace_checks: bool = False,
    unpin: bool | None = None,
    follow_installed: bool = False,
    python: Path | None = None,
    jobs: int | None = None,
    timeout: int | None = None,
) -> dict[str, Any]:
    """The options that were given and that a configuration file may set, too, by their names there.

    Args:
        select: the rules to run, given again or with commas.
        ignore: those not to run.
        exclude: patterns of files that are left alone.
        config: the configuration file for all files.
        docs: look into documents.
        allow: the assumptions that rewrites may rest on, given again or with commas.
        unsafe: apply rewrites that rest on any.
        on_unsafe: what to do without.
        no_trace_checks: write nothing that is checked when it is traced.
        unpin: plan all that looks like a pin anew, or none of it.
        follow_installed: look into installed packages.
        python: where they are installed.
        jobs: worker processes.
        timeout: seconds for a file.
    """
    flags = {
        "select": _names(select),
        "ignore": _names(ignore),
        "exclude": tuple(exclude) if exclude else None,
        "config": os.path.abspath(config) if config is not None else None,
        "docs": docs or None,
        "allow": _names(allow),
        "unsafe": unsafe or None,
        "on_unsafe": on_unsafe,
        "trace_checks": False if no_trace_checks else None,
        "unpin": unpin,
        "follow_installed": follow_installed or None,
        "python": os.path.abspath(python) if python is not None else None,
        "jobs": jobs,
        "timeout": timeout,
    }
    return {name: value for name, value in flags.items() if value is not None}


def _names(given: Sequence[str] | None) -> frozenset[str] | None:
    """The rules that an option names; None for none."""
    if not given:
        return None
    names = (name.strip() for item in given for name in item.split(","))
    return frozenset(name for name in names if name)


def report_files(given: Sequence[str]) -> list[tuple[str, Path]]:
    """The formats and files of --report; refused before anything is done."""
    found = []
    for item in given:
        name, equals, file = item.partition("=")
        if name not in MACHINE or not (equals and file):
            formats = ", ".join(MACHINE)
            raise typer.BadParameter(
                f"{item!r} is not FORMAT=FILE; FORMAT is one of {formats}", param_hint="'--report'"
            )
        if Path(file).is_dir() or not Path(file).parent.is_dir():
            raise typer.BadParameter(
                f"{file!r} cannot be written: no such folder, or a folder", param_hint="'--report'"
            )
        found.append((name, Path(file)))
    return found
