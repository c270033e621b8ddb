"""The command line of `nnx-migrate apply`. Importing this imports no part of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nnx_migrate.cli.guidance import complete_rule
from nnx_migrate.cli.run_apply import Request, apply_paths, explain_place

if TYPE_CHECKING:
    from nnx_migrate.report.patches.parts import SplitBy

_FILE = click.Path(path_type=Path)
_FORMATS = ("json", "jsonl", "sarif", "github", "gitlab", "markdown")


def _gone(context: click.Context, parameter: click.Parameter, value: str | None) -> None:
    """Say what to do instead to who still passes an option that there was."""
    from nnx_migrate.sources.configuration import NO_TARGET

    if value is not None:
        raise click.UsageError(f"{parameter.opts[0]} is gone: {NO_TARGET}; leave it out", context)


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, type=click.Path())
@click.option(
    "--explain", metavar="FILE:LINE", help="Say what is known of that place and why; write nothing."
)
@click.option("--dry-run", is_flag=True, help="Print the diff and the summary; write nothing.")
@click.option("--diff", is_flag=True, help="Print only the diff, on stdout; write nothing.")
@click.option(
    "--patch", metavar="FILE", type=_FILE, help="Write the diff to FILE; change no source."
)
@click.option(
    "--patch-by",
    type=click.Choice(["rule", "file", "owner", "dir"]),
    help="With --patch DIR: a patch for each, with the text of a pull request and a manifest.",
)
@click.option(
    "--html", metavar="DIR", type=_FILE, help="Also write a page for reviewers, DIR/index.html."
)
@click.option("--check", is_flag=True, help="Print the findings; exit 1 if anything is pending.")
@click.option(
    "--select",
    metavar="RULE",
    multiple=True,
    shell_complete=complete_rule,
    help="Run only these rules (a,b or given again).",
)
@click.option(
    "--ignore",
    metavar="RULE",
    multiple=True,
    shell_complete=complete_rule,
    help="Do not run these rules.",
)
@click.option(
    "--docs",
    is_flag=True,
    help="Look into .md and .rst files and doctests too, not only when named.",
)
@click.option("--unsafe", is_flag=True, help="Apply rewrites that rest on an assumption too.")
@click.option(
    "--on-unsafe",
    type=click.Choice(["pin", "leave"]),
    help="Without --unsafe: keep such a place in graph mode visibly, or leave it.  [default: pin]",
)
@click.option("--target", hidden=True, expose_value=False, callback=_gone)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Worker processes.  [default: as many as processors, up to 8]",
)
@click.option(
    "--timeout",
    type=click.IntRange(min=1),
    metavar="SECONDS",
    help="Leave a file alone that takes longer, with a finding.  [default: 300]",
)
@click.option(
    "--format",
    "report_format",
    type=click.Choice(["text", *_FORMATS]),
    default="text",
    show_default=True,
    help="The report: text on stderr; the others on stdout unless a diff is there.",
)
@click.option(
    "--report",
    "reports",
    metavar="FORMAT=FILE",
    multiple=True,
    help="Write the report to FILE too, in one of the formats; may be given again.",
)
@click.option("--verbose", "-v", is_flag=True, help="List unchanged sites and evidence as well.")
@click.option("--no-journal", is_flag=True, help="Do not keep what `undo` needs.")
@click.option(
    "--verify",
    is_flag=True,
    help="Then run what [tool.nnx-migrate.check] names on old and new code.",
)
@click.option("--revert-different", is_flag=True, help="With --verify: put back files that differ.")
@click.option(
    "--stdin-filename",
    metavar="FILE",
    type=_FILE,
    help="With -: where the text belongs, for facts and config.",
)
@click.pass_context
def apply(
    context: click.Context,
    paths: Sequence[str],
    explain: str | None,
    dry_run: bool,
    diff: bool,
    patch: Path | None,
    patch_by: SplitBy | None,
    html: Path | None,
    check: bool,
    select: Sequence[str],
    ignore: Sequence[str],
    docs: bool,
    unsafe: bool,
    on_unsafe: str | None,
    jobs: int | None,
    timeout: int | None,
    report_format: str,
    reports: Sequence[str],
    verbose: bool,
    no_journal: bool,
    verify: bool,
    revert_different: bool,
    stdin_filename: Path | None,
) -> None:
    """Migrate files in place, or show what would change.

    \b
    Examples:
      nnx-migrate apply src/ tests/ --dry-run
      nnx-migrate apply src/ --diff > nnx.patch && git apply nnx.patch
      nnx-migrate apply src/ --patch patches --patch-by owner
      nnx-migrate apply src/ --select module-gradient,diff-state
      nnx-migrate apply src/ --check --format json > report.json
      nnx-migrate apply src/ --check --report sarif=nnx.sarif --report markdown=summary.md
      nnx-migrate apply src/ --dry-run --html review    then open review/index.html
      nnx-migrate apply src/ --verify      migrate, then run old and new code side by side
      nnx-migrate apply notebooks/ docs/ README.md --docs --dry-run
      nnx-migrate apply --explain src/train.py:42
      nnx-migrate apply --explain train.ipynb:4:2     cell 4, line 2
      nnx-migrate apply - --stdin-filename src/train.py < src/train.py

    \b
    A comment keeps a line or a file out:
      # nnx-migrate: ignore[module-gradient]
      # nnx-migrate: skip-file

    \b
    Exit codes:
      0  nothing is left to do
      1  changes are pending (--check, --dry-run, --diff, --patch), a place is left for you,
         or a file could not be done
      2  the command line or the configuration is wrong, a PATH does not exist, or a bug was met
    """
    flags: dict[str, Any] = {
        "select": names_of(select),
        "ignore": names_of(ignore),
        "docs": True if docs else None,
        "unsafe": True if unsafe else None,
        "on_unsafe": on_unsafe,
        "jobs": jobs,
        "timeout": timeout,
    }
    request = Request(
        previews=dry_run or diff,
        only_diff=diff and report_format == "text",
        check=check,
        patch=patch,
        patch_by=patch_by,
        html=html,
        report_format=report_format,
        reports=_reports(reports),
        verbose=verbose,
        verify=verify or revert_different,
        revert=revert_different,
        journal=not no_journal,
    )
    given = {key: value for key, value in flags.items() if value is not None}
    if explain is not None:
        context.exit(explain_place(explain, given))
    if not paths:
        context.fail("say what to look at, as in: nnx-migrate apply src/ --dry-run")
    context.exit(apply_paths(list(paths), given, request, stdin_filename))


def _reports(given: Sequence[str]) -> list[tuple[str, Path]]:
    """The formats and files of --report; refused before anything is done."""
    found = []
    for item in given:
        name, equals, file = item.partition("=")
        if name not in _FORMATS or not (equals and file):
            formats = ", ".join(_FORMATS)
            raise click.BadParameter(
                f"{item!r} is not FORMAT=FILE, with one of {formats}", param_hint="'--report'"
            )
        if Path(file).is_dir() or not Path(file).parent.is_dir():
            raise click.BadParameter(
                f"{file!r} cannot be written: no such folder, or a folder", param_hint="'--report'"
            )
        found.append((name, Path(file)))
    return found


def names_of(given: Sequence[str]) -> frozenset[str] | None:
    """The rules that an option names, given again or with commas; None for none."""
    if not given:
        return None
    names = (name.strip() for item in given for name in item.split(","))
    return frozenset(name for name in names if name)
