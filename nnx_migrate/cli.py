"""The command line: `nnx-migrate apply`, `nnx-migrate check` and `nnx-migrate rule`.

Patches and migrated text go to stdout and nothing else does, except the JSON report when no patch
is printed; every other word goes to stderr. Importing this module imports no part of the engine.
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import nnx_migrate
from nnx_migrate.check.command import check
from nnx_migrate.guidance import Commands, complete_rule

if TYPE_CHECKING:
    from nnx_migrate.engine import RunResult
    from nnx_migrate.report.splitting import SplitBy

_FILE = click.Path(path_type=Path)
_FORMATS = ("json", "jsonl", "sarif", "github", "gitlab", "markdown")
_SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}


@dataclasses.dataclass(frozen=True, slots=True)
class _Request:
    """What to do with the result of a run."""

    previews: bool
    only_diff: bool
    check: bool
    patch: Path | None
    patch_by: SplitBy | None
    html: Path | None
    report_format: str
    reports: Sequence[tuple[str, Path]]
    verbose: bool
    verify: bool
    revert: bool
    journal: bool

    @property
    def writes(self) -> bool:
        return not (self.previews or self.check or self.patch is not None)


@click.group(cls=Commands, context_settings=_SETTINGS)
@click.version_option(nnx_migrate.__version__, message="nnx-migrate %(version)s")
def app() -> None:
    """Move Flax NNX code from graph mode to tree mode.

    \b
    Look first, then write:
      nnx-migrate apply src/ --dry-run     show the diff and a summary, change nothing
      nnx-migrate apply src/               change the files
      nnx-migrate apply src/ --check       for CI: exit 1 when anything is left to do
      nnx-migrate check git:HEAD . --cases checks.py   run old and new side by side
      nnx-migrate rule module-gradient     what a rule finds, and when it is safe

    \b
    Names of options and rules complete at the tab key, here for bash (zsh and fish alike):
      eval "$(_NNX_MIGRATE_COMPLETE=bash_source nnx-migrate)"
    """


@app.command()
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
@click.option(
    "--target",
    type=click.Choice(["both", "tree"]),
    help="Modes the written code has to hold in. For now tree gives the same as both."
    "  [default: both]",
)
@click.option(
    "--jobs",
    type=click.IntRange(min=1),
    help="Worker processes.  [default: as many as processors, up to 8]",
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
@click.option("--no-journal", is_flag=True, help="Do not keep in .nnx-migrate what `undo` needs.")
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
    target: str | None,
    jobs: int | None,
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
        "select": _names(select),
        "ignore": _names(ignore),
        "docs": True if docs else None,
        "unsafe": True if unsafe else None,
        "on_unsafe": on_unsafe,
        "target": target,
        "jobs": jobs,
    }
    request = _Request(
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
        context.exit(_explain(explain, given))
    if not paths:
        context.fail("say what to look at, as in: nnx-migrate apply src/ --dry-run")
    context.exit(_apply(list(paths), given, request, stdin_filename))


app.add_command(check)


@app.command()
@click.argument("run", required=False)
@click.pass_context
def undo(context: click.Context, run: str | None) -> None:
    """Put back the files that a run of `apply` wrote, or list the runs.

    RUN is a name that `apply` and this list print, or `last`. A file that was edited since is left
    alone. Runs are those of the current folder, kept in .nnx-migrate.

    \b
    Examples:
      nnx-migrate undo
      nnx-migrate undo last

    \b
    Exit codes:
      0  every file is as it was before the run
      1  a file was left alone
      2  there is no such run
    """
    from nnx_migrate import console

    with console.errors_reported():
        code = console.list_runs() if run is None else console.undo_run(run)
    context.exit(code)


@app.command()
@click.argument("name", required=False, shell_complete=complete_rule)
def rule(name: str | None) -> None:
    """List the rules, or print the manual page of one.

    \b
    Examples:
      nnx-migrate rule
      nnx-migrate rule state-axes
    """
    from nnx_migrate.console import errors_reported, stop
    from nnx_migrate.registry import BrokenRule, UnknownRule, find_rule, rule_entries

    with errors_reported():
        try:
            if name is not None:
                click.echo(find_rule(name).manual())
                return
            entries = rule_entries()
            width = max(map(len, entries), default=0)
            broken = None
            for entry in entries.values():
                try:
                    summary = entry.manual().splitlines()[0]
                except BrokenRule as error:
                    broken = error
                    continue
                click.echo(f"{entry.name:<{width}}  {summary}")
            if broken is not None:
                stop(str(broken))
        except (UnknownRule, BrokenRule) as error:
            stop(str(error))


def main() -> None:
    """Run the command line; the entry point of `nnx-migrate`."""
    try:
        app(prog_name="nnx-migrate")
    except BrokenPipeError:
        # Whoever read our output has seen enough; nothing may be flushed into the closed pipe.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


def _explain(place: str, flags: dict[str, Any]) -> int:
    from nnx_migrate import console

    found = re.fullmatch(r"(?P<file>.+?)(?::(?:cell )?(?P<cell>\d+))?:(?P<line>\d+)", place)
    if found is None:
        console.stop(
            f"--explain wants FILE:LINE, not {place!r}, as in: --explain src/train.py:42; "
            "of a notebook FILE:CELL:LINE"
        )
    with console.errors_reported():
        configuration = console.configure(flags)
        cell = int(found["cell"] or 0)
        told = console.explain(Path(found["file"]), int(found["line"]), cell, configuration)
        click.echo(told, nl=False)
    return console.DONE


def _apply(
    paths: list[str], flags: dict[str, Any], request: _Request, stdin_filename: Path | None
) -> int:
    from nnx_migrate import console

    stdin = paths == ["-"]
    if "-" in paths and not stdin:
        console.stop("'-' (stdin) cannot be combined with other paths; run it once for each")
    if request.verify and (stdin or not request.writes):
        console.stop(
            "--verify looks at what was written: "
            "leave out '-' and --dry-run, --diff, --patch and --check"
        )
    if request.patch_by is not None and (stdin or request.patch is None):
        console.stop("--patch-by needs --patch DIR, and files on disk")
    if stdin_filename is not None and not stdin:
        console.stop(
            "--stdin-filename needs '-' as the only path, as in: "
            "nnx-migrate apply - --stdin-filename src/train.py < src/train.py"
        )
    if request.html is not None:
        console.require_page()
    journal = None
    with console.errors_reported():
        configuration = console.configure(flags)
        if stdin:
            result = console.run_stdin(stdin_filename or Path("stdin.py"), configuration)
        else:
            files = [Path(path) for path in paths]
            if request.verify:
                _require_check(files[0])
            journal = console.new_journal() if request.writes and request.journal else None
            write = console.writer(journal) if request.writes else None
            result = console.run_paths(files, configuration, write)
        if stdin and request.writes:
            console.emit_source(result.results[0])
        if request.previews:
            console.emit_diff(result, for_git=request.only_diff)
        if request.patch is not None:
            if request.patch_by is None:
                console.write_patch(result, request.patch)
            else:
                console.emit_patches(result, folder=request.patch, by=request.patch_by)
        code = console.exit_code(result, written=request.writes)
        as_text = request.report_format == "text"

        def emit_report(check: dict[str, Any] | None = None) -> None:
            if not request.only_diff or result.totals.work_left or result.missing:
                console.emit_report(
                    result,
                    request.report_format,
                    verbose=request.verbose,
                    written=request.writes,
                    on_stdout=not (as_text or request.previews or stdin),
                    check=check,
                )

        check = None
        # People read while the check runs; programs want its verdicts in the report.
        if as_text:
            emit_report()
        if request.verify:
            verified, check = _verified(result, request)
            code = max(code, verified)
        if not as_text:
            emit_report(check)
        console.write_reports(result, request.reports, written=request.writes, check=check)
        if request.html is not None:
            console.write_page(result, request.html, written=request.writes, check=check)
        if as_text and journal is not None and journal.name:
            click.echo(f"put back with: nnx-migrate undo {journal.name}", err=True)
        return code


def _require_check(path: Path) -> None:
    """Stops before anything is written where --verify could not be done."""
    from nnx_migrate import console

    with console.check_explained():
        from nnx_migrate.check.verifying import project_table

        project_table(path)


def _verified(result: RunResult, request: _Request) -> tuple[int, dict[str, Any] | None]:
    """Checks what was written; returns the exit code that it has earned, and its report."""
    from nnx_migrate import console

    with console.check_explained():
        from nnx_migrate.check.report import as_document, as_text
        from nnx_migrate.check.verifying import Change, verify

        changes = [
            Change(r.path, r.before, r.after, r.together)
            for r in result.results
            if r.before != r.after
        ]
        if not changes:
            return console.DONE, None
        verified = verify(changes, revert=request.revert)
    click.echo(as_text(verified.report, verbose=request.verbose), err=True, nl=False)
    for path in verified.reverted:
        click.echo(f"put back: {path}", err=True)
    for line in verified.failed:
        click.echo(line, err=True)
    put_back = [str(path) for path in verified.reverted]
    document = as_document(verified.report)
    return verified.report.exit_code, {
        **document,
        "put_back": put_back,
        "not_put_back": list(verified.failed),
    }


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


def _names(given: Sequence[str]) -> frozenset[str] | None:
    if not given:
        return None
    names = (name.strip() for item in given for name in item.split(","))
    return frozenset(name for name in names if name)
