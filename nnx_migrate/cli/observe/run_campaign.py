"""What `nnx-migrate campaign` does between its flags and its exit code."""

from __future__ import annotations

import dataclasses
import json
import os
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from nnx_migrate.api.writing import new_journal
from nnx_migrate.cli import console
from nnx_migrate.cli.observe.run import watched_files
from nnx_migrate.core.pins import KeptPlace
from nnx_migrate.core.totals import RunResult
from nnx_migrate.observe.command import CannotRun, observe
from nnx_migrate.report.patches.patch import render_patch
from nnx_migrate.report.text import plural, printable
from nnx_migrate.sources.facts.observed_facts import ObservedFacts, facts_text
from nnx_migrate.sources.own_folder import OwnFolder
from nnx_migrate.sources.write import Replacement, WriteError

if TYPE_CHECKING:
    from nnx_migrate.sources.configuration import Configuration

_INTERRUPTED = 130
#: Of the text of a commit.
_COMMIT_WIDTH = 72


@dataclasses.dataclass(frozen=True, slots=True)
class Request:
    """What is asked for.

    Args:
        command: what runs the code.
        paths: what is migrated.
        branch: takes the result; None for the files themselves.
        jobs: calls that are checked at once.
        html: the folder of a page for reviewers.
        allow_failing: go on where the command fails on the code as it is.
    """

    command: tuple[str, ...]
    paths: tuple[Path, ...]
    branch: str | None
    jobs: int
    html: Path | None
    allow_failing: bool


def run_campaign(request: Request, flags: dict[str, Any]) -> int:
    """Do all of it, and return the exit code.

    Args:
        request: what is asked for.
        flags: the options of the migration that were given, by name.
    """
    root = Path.cwd().resolve()
    with console.errors_reported(), console.check_explained():
        from nnx_migrate.campaign.branch import NoBranch, require_branch

        console.require_paths(request.paths)
        for path in request.paths:
            if not path.resolve().is_relative_to(root):
                console.stop(
                    f"{path} is outside of {root}; run nnx-migrate in a folder that holds it"
                )
        if request.branch is not None:
            try:
                require_branch(root, request.branch)
            except NoBranch as error:
                console.stop(str(error))
        if request.html is not None:
            from nnx_migrate.cli.output.emit import require_page

            require_page()
        return _run(request, flags, root)


def _run(request: Request, flags: dict[str, Any], root: Path) -> int:
    from nnx_migrate.campaign.report import CampaignReport
    from nnx_migrate.campaign.rounds import settle
    from nnx_migrate.check.report import of_a_run

    _say("observing the command")
    try:
        seen = observe(request.command, root, watched_files(root))
    except CannotRun as error:
        console.stop(f"{error}; after --, write the command as you would type it")
    if seen.exit_code is None:
        return _INTERRUPTED
    if seen.exit_code and not request.allow_failing:
        console.stop(
            f"the command ended with exit code {seen.exit_code} before anything was changed; "
            "leave out what fails (as with `pytest --deselect`), or continue with --allow-failing"
        )
    if not any(file.functions for file in seen.facts.files.values()):
        console.warn(
            "the command ran none of the Python files here, so it shows nothing about them"
        )
    facts, _ = seen.facts.current()

    def plan(kept: Mapping[Path, tuple[KeptPlace, ...]]) -> RunResult:
        return console.run_paths(request.paths, flags, facts=facts, kept=kept, quiet=True)

    configuration = _configuration(flags)
    settings = _settings(root, configuration)
    settled = settle(root, plan, request.command, settings, _say, jobs=request.jobs)
    report = CampaignReport(request.command, settled, seen.exit_code)
    if not report.breaks_today:
        report = _written(report, request, root)
    folder = _kept(report, facts, root)
    for line in report.lines():
        typer.echo(line)
    if request.html is not None:
        from nnx_migrate.cli.output.emit import write_page

        check = None if settled.report is None else of_a_run(settled.report)
        write_page(
            settled.result, request.html, configuration, written=bool(report.written), check=check
        )
    _tell_where(report, folder)
    return console.WORK_LEFT if report.work_left else console.DONE


def _say(text: str) -> None:
    print(f"nnx-migrate: {printable(text)}", file=sys.stderr, flush=True)


def _configuration(flags: Mapping[str, Any]) -> Configuration:
    """Where the tables of the project are looked for: what `--config` names, or the nearest."""
    from nnx_migrate.sources.configuration import Configuration

    named = flags.get("config")
    return Configuration(file=None if named is None else Path(named))


def _settings(root: Path, configuration: Configuration) -> Any:
    from nnx_migrate.check.settings import CheckSettings, settings_from

    table = configuration.table_for(root)
    return CheckSettings() if table is None else settings_from(table)


def _written(report: Any, request: Request, root: Path) -> Any:
    """The campaign with its result written: file by file with a journal, or a branch at once."""
    from nnx_migrate.campaign.branch import NoBranch, put_on_branch

    changed = report.settled.changed
    if not changed:
        return report
    if request.branch is not None:
        files = {path: each.after for path, each in changed.items()}
        told = (textwrap.fill(each, _COMMIT_WIDTH) for each in report.told())
        message = "\n\n".join(["Migrate to tree mode", *told]) + "\n"
        try:
            unknown = put_on_branch(root, request.branch, files, message)
        except NoBranch as error:
            console.stop(f"{error}; nothing was written")
        failed = [f"git does not track {path}; add it before you use --branch" for path in unknown]
        return dataclasses.replace(
            report, written=request.branch, branch=True, failed=tuple(failed)
        )
    journal = new_journal(request.paths, console.typed_command())
    failed = []
    for path, each in changed.items():
        try:
            journal.write(Replacement(path, each.before, each.after))
        except WriteError as error:
            failed.append(f"{path} could not be written: {error.reason}")
    return dataclasses.replace(report, written=journal.name, failed=tuple(failed))


def _kept(report: Any, facts: ObservedFacts, root: Path) -> Path:
    """Put the report, the facts and the patch where the next run and a reader find them."""
    from nnx_migrate.check.run import state_folder

    folder = state_folder() / "campaign"
    patch = render_patch(report.settled.changed.values(), root)
    where = Path(os.path.relpath(root, folder.resolve())).as_posix()
    with OwnFolder(folder) as own:
        own.put("facts.json", facts_text(facts, where).encode())
        own.put("report.json", (json.dumps(report.document(), indent=1) + "\n").encode())
        own.put("report.md", report.markdown().encode())
        own.put("changes.patch", patch)
    return folder


def _tell_where(report: Any, folder: Path) -> None:
    for line in report.failed:
        console.warn(line)
    if report.breaks_today:
        console.warn(
            "with the new code, the command ends with another exit code under today's default, "
            f"so nothing was written; the plan is in {folder / 'changes.patch'}"
        )
    elif report.branch:
        _say(f"committed on the branch {report.written}; to see it: git diff HEAD {report.written}")
    elif report.written:
        files = plural(len(report.settled.changed), "file")
        _say(f"{files} written; undo with: nnx-migrate undo {report.written}")
    _say(f"report: {folder / 'report.md'}")
