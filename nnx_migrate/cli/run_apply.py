"""What `nnx-migrate apply` does between its flags and its exit code."""

from __future__ import annotations

import dataclasses
import functools
import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nnx_migrate.cli.baseline.options import BaselineOptions
from nnx_migrate.cli.output.options import OutputOptions
from nnx_migrate.core.findings import FileStatus

if TYPE_CHECKING:
    from nnx_migrate.core.totals import RunResult
    from nnx_migrate.report.patches.split_by import SplitBy
    from nnx_migrate.sources.configuration import Configuration


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What to do with the result of a run."""

    previews: bool
    only_diff: bool
    check: bool
    patch: Path | None
    patch_by: SplitBy | None
    html: Path | None
    output: OutputOptions
    reports: Sequence[tuple[str, Path]]
    verify: bool
    revert: bool
    journal: bool
    cached: bool
    facts: Path | None
    baseline: BaselineOptions

    @property
    def writes(self) -> bool:
        """Whether files are changed."""
        asked = self.previews or self.check or self.patch is not None
        return not (asked or self.baseline.changes_the_run)

    @property
    def report_is_asked_for(self) -> bool:
        """Whether the report is the answer, and not what is said beside a diff or new code."""
        return not self.output.for_people or (self.check and not self.previews)


def explain_place(place: str, flags: dict[str, Any], facts: Path | None) -> int:
    """Print what is known of a place and return the exit code.

    Args:
        place: FILE:LINE, of a notebook FILE:CELL:LINE.
        flags: the options that were given, by name.
        facts: the file of what runs have shown.
    """
    from nnx_migrate.api.choices import configuration_of
    from nnx_migrate.cli import console
    from nnx_migrate.cli.observe.facts_file import current_facts

    found = re.fullmatch(r"(?P<file>.+?)(?::(?:cell )?(?P<cell>\d+))?:(?P<line>\d+)", place)
    if found is None:
        console.stop(
            f"--explain takes FILE:LINE, not {place!r}, as in: --explain src/train.py:42; for a "
            "notebook, FILE:CELL:LINE"
        )
    with console.errors_reported():
        configuration = configuration_of(console.choices(flags), current_facts(facts))
        cell = int(found["cell"] or 0)
        told = console.explain(Path(found["file"]), int(found["line"]), cell, configuration)
        typer.echo(told, nl=False)
    return console.DONE


def apply_paths(
    paths: list[str], flags: dict[str, Any], request: Request, stdin_filename: Path | None
) -> int:
    """Run over paths, tell what came of it, and return the exit code.

    Args:
        paths: as they were named; "-" alone for stdin.
        flags: the options that were given, by name.
        request: what to do with the result.
        stdin_filename: where the text on stdin belongs.
    """
    from nnx_migrate.api.choices import configuration_of
    from nnx_migrate.cli import console
    from nnx_migrate.cli.observe.facts_file import current_facts
    from nnx_migrate.cli.output import emit

    stdin = paths == ["-"]
    _refuse_combinations(paths, request, stdin_filename)
    if request.check and request.previews and not request.output.quiet:
        other = "--diff" if request.only_diff else "--dry-run"
        console.warn(
            f"--check changes nothing here: {other} also exits with 1 if anything is pending. "
            "To get the findings on stdout, and no diff, use --check alone"
        )
    emit.require_places(request.output.file, request.html)
    if request.html is not None:
        emit.require_page()
    if request.patch_by == "owner":
        emit.require_owners([Path(path) for path in paths])
    with console.errors_reported():
        facts = current_facts(request.facts)
        configuration = configuration_of(console.choices(flags), facts)
        if stdin:
            result = console.run_stdin(stdin_filename or Path("stdin.py"), flags, facts)
            if request.writes and request.output.for_people:
                emit.emit_source(result.results[0])
        else:
            files = [Path(path) for path in paths]
            console.require_paths(files)
            if request.verify:
                require_check(files[0], configuration)
            output = request.output
            run = functools.partial(
                console.run_paths,
                files,
                flags,
                facts=facts,
                write=request.writes,
                journal=request.journal,
                quiet=output.quiet,
                colour=output.colour,
                cached=request.cached,
            )
            result = run()
            if not output.quiet:
                console.warn_of(result, files, written=request.writes)
            if request.baseline.changes_the_run:
                result, done = _by_baseline(result, files, request, run)
                if done is not None:
                    return done
        _emit_changes(result, request)
        code = _tell(result, request, configuration, stdin=stdin)
        written = result.totals.files[FileStatus.CHANGED]
        if request.output.for_people and result.journal and written:
            typer.echo(f"undo with: nnx-migrate undo {result.journal}", err=True)
        people = request.output.for_people and not request.output.quiet
        if request.patch is not None and written and people:
            typer.echo(_of_patches(request.patch, request.patch_by), err=True)
        return code


def _of_patches(patch: Path, by: SplitBy | None) -> str:
    """Where the patches of a run are, and what applies them."""
    from nnx_migrate.report.text import printable

    if by is None:
        apply = shlex.join(["git", "apply", str(patch)])
        return printable(f"patch in {patch}; to apply it: {apply}")
    return printable(
        f"patches in {patch}, each with the text of a pull request; to apply one: git apply PATCH"
    )


def _by_baseline(
    result: RunResult, files: Sequence[Path], request: Request, again: Callable[[], RunResult]
) -> tuple[RunResult, int | None]:
    """What is left of a run by its baseline, or the exit code where that was all to do.

    Args:
        again: does the run once more.
    """
    from nnx_migrate.cli import console
    from nnx_migrate.cli.baseline.new_findings import only_new, write_baseline

    baseline = request.baseline
    if baseline.write_baseline is not None:
        write_baseline(result, baseline.write_baseline)
        return result, console.DONE
    if baseline.add_ignores:
        from nnx_migrate.api.writing import new_journal, writer
        from nnx_migrate.cli.baseline.add_ignores import add_ignores

        journal = new_journal(files, console.typed_command()) if request.journal else None
        all_have_one = add_ignores(result, writer(journal, files), again)
        if journal is not None and journal.name:
            typer.echo(f"undo with: nnx-migrate undo {journal.name}", err=True)
        return result, console.DONE if all_have_one else console.WORK_LEFT
    return only_new(result, baseline, files), None


def _refuse_combinations(paths: list[str], request: Request, stdin_filename: Path | None) -> None:
    """Stops where paths and options do not go together."""
    from nnx_migrate.cli import console

    stdin = paths == ["-"]
    if request.only_diff and not request.output.for_people:
        console.stop(
            f"--diff and {request.output.format} both need stdout; leave one out, or use --report "
            f"{request.output.format}=FILE"
        )
    baseline = request.baseline
    looks = request.check or request.previews or request.patch is not None
    if baseline.changes_the_run and stdin:
        console.stop(
            "--baseline, --write-baseline, --diff-base, and --add-ignores need files on disk, "
            "not '-'"
        )
    if baseline.writes_only and (looks or baseline.narrows):
        console.stop(
            "--write-baseline and --add-ignores run alone; leave out --check, --dry-run, --diff, "
            "--patch, --baseline, and --diff-base"
        )
    if baseline.narrows and not looks:
        console.stop(
            "--baseline and --diff-base only select findings; add --check, --dry-run, --diff, or "
            "--patch"
        )
    if "-" in paths and not stdin:
        console.stop(
            "'-' (stdin) cannot be combined with other paths; run nnx-migrate once for each"
        )
    if request.verify and (stdin or not request.writes):
        console.stop(
            "--verify checks what was written; leave out '-', --dry-run, --diff, --patch, and "
            "--check"
        )
    if request.patch_by is not None and (stdin or request.patch is None):
        console.stop("--patch-by needs --patch DIR, and files on disk")
    if stdin_filename is not None and not stdin:
        console.stop(
            "--stdin-filename needs '-' as the only path, as in: "
            "nnx-migrate apply - --stdin-filename src/train.py < src/train.py"
        )


def _emit_changes(result: RunResult, request: Request) -> None:
    """Print the diff and write the patches that were asked for."""
    from nnx_migrate.cli.output import emit

    # A machine format has stdout to itself, and the edits in it.
    if request.previews and request.output.for_people:
        emit.emit_diff(result, for_git=request.only_diff, colour=request.output.colour)
    if request.patch is not None:
        if request.patch_by is None:
            emit.write_patch(result, request.patch)
        else:
            emit.emit_patches(result, folder=request.patch, by=request.patch_by)


def _tell(result: RunResult, request: Request, configuration: Configuration, *, stdin: bool) -> int:
    """Verify what was written where that was asked for, write all reports, return the exit code."""
    from nnx_migrate.cli import console
    from nnx_migrate.cli.output import emit
    from nnx_migrate.cli.output.human import tells_something

    written = request.writes
    code = console.exit_code(result, written=written)
    output = request.output

    def emit_report(check: dict[str, Any] | None = None) -> None:
        if not request.only_diff or result.totals.work_left or result.missing:
            emit.emit_report(
                result,
                output,
                written=written,
                on_stdout=request.report_is_asked_for and tells_something(result, output),
                proposes=not stdin and request.patch is None and not request.verify,
                check=check,
            )

    check = None
    # People read while the check runs; programs want its verdicts in the report.
    if output.for_people:
        emit_report()
    if request.verify:
        verified, check = check_written(
            result, configuration, revert=request.revert, verbose=output.verbose
        )
        code = max(code, verified)
    if not output.for_people:
        emit_report(check)
    emit.write_reports(result, request.reports, written=written, check=check)
    if request.html is not None:
        emit.write_page(result, request.html, configuration, written=written, check=check)
    return code


def require_check(path: Path, configuration: Configuration) -> None:
    """Stops before anything is written where --verify could not be done."""
    from nnx_migrate.cli import console

    with console.check_explained():
        from nnx_migrate.check.verify import project_table

        project_table(path, configuration)


def check_written(
    result: RunResult,
    configuration: Configuration,
    *,
    revert: bool,
    verbose: bool = False,
    where: Callable[..., Any] | None = None,
) -> tuple[int, dict[str, Any] | None]:
    """Check what was written; return the exit code that it has earned, and its report.

    Args:
        result: of a run that wrote.
        configuration: says how the project is checked.
        revert: put back what differs.
        verbose: tell of what is equal, too.
        where: calls what runs the code, with its arguments; None for here.
    """
    from nnx_migrate.cli import console

    with console.check_explained():
        from nnx_migrate.check.report import as_text, of_a_run
        from nnx_migrate.check.verify import project_table, verify
        from nnx_migrate.sources.write import Replacement

        changes = [
            Replacement(r.path, r.before, r.after) for r in result.results if r.before != r.after
        ]
        if not changes:
            return console.DONE, None
        table = project_table(changes[0].path, configuration)
        asked = (changes, table, revert)
        verified = verify(*asked) if where is None else where(verify, *asked)
    typer.echo(as_text(verified.report, verbose=verbose), err=True, nl=False)
    for path in verified.reverted:
        typer.echo(f"put back: {path}", err=True)
    for line in verified.failed:
        typer.echo(line, err=True)
    document = of_a_run(verified.report, verified.reverted, verified.failed)
    return verified.report.exit_code, document
