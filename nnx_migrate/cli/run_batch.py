"""What `nnx-migrate batch` does between its flags and its exit code."""

from __future__ import annotations

import contextlib
import dataclasses
import datetime
import json
import re
import shlex
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import typer

from nnx_migrate.api.choices import configuration_of
from nnx_migrate.cli import console
from nnx_migrate.cli.observe.facts_file import current_facts
from nnx_migrate.cli.output.options import OutputOptions

if TYPE_CHECKING:
    from nnx_migrate.batch.campaign import Campaign
    from nnx_migrate.batch.processes.choice import Processes
    from nnx_migrate.batch.state import Standing, State
    from nnx_migrate.core.totals import RunResult
    from nnx_migrate.engine.discover import Progress
    from nnx_migrate.report.patches.split_by import SplitBy
    from nnx_migrate.sources.facts.observed_facts import ObservedFacts

#: What `pip install 'nnx-migrate[batch]'` brings.
_EXTRA = frozenset({"codeowners", "filelock", "jinja2", "markupsafe", "pebble", "pygments"})
_IGNORED = ".gitignore"
#: What the first step of a run puts into its folder.
_OF_RUNS = re.compile(r"(run|shard-\d+-of-\d+)\.lock|(state|index)\.sqlite|shards")


@dataclasses.dataclass(frozen=True, slots=True)
class BatchRequest:
    """What to do; the fields are the flags of the command."""

    out: Path
    write: bool
    resume: bool
    patch_by: SplitBy
    verify: bool
    revert: bool
    engine: Literal["local", "ray"]
    address: str | None
    check_gpus: float
    jobs: int | None
    timeout: float
    memory: float
    plan: bool
    shard: str | None
    merge: bool
    output: OutputOptions
    reports: Sequence[tuple[str, Path]]
    facts: Path | None


def run_batch(paths: list[Path], flags: dict[str, Any], request: BatchRequest) -> int:
    """Do one step of a campaign and return the exit code.

    Args:
        paths: as they were named.
        flags: the options for files that were given, by name.
        request: what to do.
    """
    with console.errors_reported(), _extra_explained():
        from nnx_migrate.batch.progress import batch_progress
        from nnx_migrate.batch.state import State

        shard = _shard(request)
        if request.verify:
            from nnx_migrate.cli.run_apply import require_check

            require_check(paths[0], configuration_of(console.choices(flags)))
        _made_for_runs(request.out, paths)
        with (
            _locked(request.out / f"{f'shard-{shard.stem}' if shard else 'run'}.lock"),
            batch_progress(sys.stderr, quiet=request.output.quiet) as progress,
            _processes(request) as processes,
        ):
            facts = current_facts(request.facts)
            campaign = _campaign(paths, flags, request, processes, progress, facts)
            if request.plan:
                files = len(campaign.look().tasks)
                typer.echo(f"{files:,} files to plan; next: --shard 1/N to N/N, --merge", err=True)
                return console.DONE
            if shard is not None:
                files = campaign.plan_shard(shard)
                typer.echo(f"shard {shard.number}/{shard.of}: {files:,} files planned", err=True)
                return console.DONE
            state = State(request.out / "state.sqlite")
            wanted = _as_text(paths, flags, request)
            result, journal = _planned(campaign, state, wanted, request)
            return _finished(campaign, state, result, journal, request)


def _planned(
    campaign: Campaign, state: State, wanted: str, request: BatchRequest
) -> tuple[RunResult, str]:
    """The plan, which is on disk if it is to be written, and the name of the run that writes it."""
    from nnx_migrate.batch.state import Phase
    from nnx_migrate.report.patches.owners import owners_in
    from nnx_migrate.report.patches.patch import patch_root
    from nnx_migrate.report.text import plural
    from nnx_migrate.sources.journal import new_name

    standing = state.standing()
    if standing is not None and standing.phase is Phase.WRITING:
        _require_same(standing, wanted, request)
        typer.echo("continuing with the plan of the interrupted run", err=True)
        return state.settled(), standing.journal
    state.begin(wanted)
    planned = campaign.plan(merged=request.merge)
    # A merge does not say which: what it did not find may as well have changed since.
    why = ": no shard with these flags and this version has their current content"
    told = f"{plural(planned.files, 'file')} with nnx, {planned.anew:,} of them planned again"
    if not request.output.quiet:
        typer.echo(told + why * (request.merge and planned.anew > 0), err=True)
    journal = new_name(Path.cwd())
    if request.patch_by == "owner":
        # Found out before files are changed.
        owners_in(patch_root(each.path for each in planned.result.results))
    if request.write:
        state.settle(planned.result, journal)
    return planned.result, journal


def _require_same(standing: Standing, wanted: str, request: BatchRequest) -> None:
    if not request.resume:
        console.stop(
            f"the run in {request.out} was interrupted while it wrote files; to continue it, "
            "repeat its command with --resume"
        )
    then, now = json.loads(standing.request), json.loads(wanted)
    anew = (
        f"to start again, run nnx-migrate undo {standing.journal}, then remove "
        f"{request.out}/state.sqlite"
    )
    if then.pop("program", "") != now.pop("program"):
        console.stop(
            "another version of nnx-migrate or Python started the interrupted run in "
            f"{request.out}; continue it with that version, or {anew}"
        )
    if then != now:
        console.stop(
            f"the interrupted run in {request.out} had other flags or paths: {json.dumps(then)}; "
            f"continue it with these, or {anew}"
        )


def _finished(
    campaign: Campaign, state: State, result: RunResult, journal: str, request: BatchRequest
) -> int:
    """Write what is to be written, and tell of it."""
    from nnx_migrate.batch.campaign import write_planned
    from nnx_migrate.batch.outputs import write_findings, write_review, write_summary
    from nnx_migrate.batch.summary import summarize
    from nnx_migrate.cli.output.emit import emit_report, write_reports
    from nnx_migrate.report.levels import Report
    from nnx_migrate.report.patches.patch import patch_root
    from nnx_migrate.sources.journal import Journal, NoJournal
    from nnx_migrate.sources.write import real_trees

    root = patch_root(each.path for each in result.results)

    def told(run: RunResult, check: Any = None) -> Report:
        return Report(run.results, run.totals, request.write, root, check)

    check, code = None, console.DONE
    try:
        if request.write:
            trees = real_trees(campaign.paths)
            result = write_planned(
                result, Journal(Path.cwd(), _command(), journal, trees), campaign.progress
            )
        if request.verify:
            from nnx_migrate.cli.run_apply import check_written

            where = campaign.processes.check
            code, check = check_written(
                result, campaign.configuration, revert=request.revert, where=where
            )
        write_review(result, told(result, check), request.out, request.patch_by)
        write_findings(told(result, check), request.out)
        moment = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        summary = summarize(told(result), moment)
        # A run is done when all of its results are there: until then it can be gone on with.
        write_summary(summary, [*state.history(), (moment, summary)], request.out)
        state.finish(moment, summary)
    except NoJournal as error:
        console.stop(
            f"{error}; without it, no file is changed; to continue, repeat the command with "
            "--resume"
        )
    except OSError as error:
        console.stop(f"{error.filename or request.out}: {error.strerror or error}")
    write_reports(result, request.reports, written=request.write, check=check)
    emit_report(result, request.output, written=request.write, on_stdout=False, proposes=False)
    if request.output.quiet:
        return max(code, console.exit_code(result, written=request.write))
    typer.echo(f"results: {request.out}/summary.md, patches, review, findings.jsonl", err=True)
    if request.write and any(each.before != each.after for each in result.results):
        typer.echo(f"undo with: nnx-migrate undo {journal}", err=True)
    elif not request.write and any(each.before != each.after for each in result.results):
        typer.echo(f"Next: {_writing()}  (to undo: nnx-migrate undo last)", err=True)
    return max(code, console.exit_code(result, written=request.write))


def _writing() -> str:
    """The command of this run, to go on with it so that it writes."""
    words = ["nnx-migrate", *sys.argv[1:], "--write"]
    if not {"--merge", "--resume"} & set(words):
        words.append("--resume")
    return shlex.join(words)


def _campaign(
    paths: Sequence[Path],
    flags: dict[str, Any],
    request: BatchRequest,
    processes: Processes,
    progress: Progress,
    facts: ObservedFacts | None,
) -> Campaign:
    from nnx_migrate.batch.campaign import Campaign

    return Campaign(
        paths,
        configuration_of(console.choices(flags), facts),
        request.out,
        processes,
        _jobs(request),
        given_up=request.resume or request.merge,
        progress=progress,
    )


@contextlib.contextmanager
def _processes(request: BatchRequest) -> Iterator[Processes]:
    from nnx_migrate.batch.processes.limits import Limits

    limits = Limits(request.timeout, request.memory)
    if request.engine == "ray":
        from nnx_migrate.batch.processes.cluster import cluster_processes

        with cluster_processes(
            request.address, request.jobs, limits, request.check_gpus
        ) as processes:
            yield processes
    else:
        from nnx_migrate.batch.processes.choice import LocalProcesses

        yield LocalProcesses(_jobs(request), limits)


def _jobs(request: BatchRequest) -> int:
    from nnx_migrate.engine.workers import processors

    return request.jobs or processors()


def _shard(request: BatchRequest) -> Any:
    from nnx_migrate.batch.shards import Shard

    if request.shard is None:
        return None
    try:
        return Shard.parse(request.shard)
    except ValueError as error:
        console.stop(f"--shard {error}")


def _made_for_runs(out: Path, trees: Sequence[Path]) -> None:
    """Make the folder of the results, or stop where it holds anything but those of earlier runs."""
    from nnx_migrate.batch.outputs import strangers
    from nnx_migrate.sources.own_folder import OwnFolder

    try:
        with OwnFolder(out, trees) as own:
            own.remove_unfinished()
            names = set(own.names())
        # Things of the user's own that are called as results are would be replaced by these.
        if names - {_IGNORED} and not any(map(_OF_RUNS.fullmatch, names)):
            console.stop(f"--out {out}: it holds other files; name a new or empty folder")
        if others := strangers(out, trees):
            what = f"it holds {others[0]!r}, which nnx-migrate did not write; move it elsewhere"
            console.stop(f"--out {out}: {what}")
        if not names:
            # In a repository, texts for reviewers are no pages of the project.
            with OwnFolder(out, trees) as own:
                own.put(_IGNORED, b"*\n")
    except OSError as error:
        console.stop(f"--out {out}: {error.strerror}")


@contextlib.contextmanager
def _locked(file: Path) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(file, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        console.stop(f"another run uses {file.parent}; wait until it ends, or name another folder")
    except OSError as error:
        console.stop(f"{file}: {error.strerror}")
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _extra_explained() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _EXTRA | {"ray"}:
            raise
        extra = "ray" if missing == "ray" else "batch"
        console.stop(f"{error.name} is not installed here: pip install 'nnx-migrate[{extra}]'")


def _as_text(paths: Sequence[Path], flags: dict[str, Any], request: BatchRequest) -> str:
    """What decides the bytes that a run writes, and where."""
    from nnx_migrate.engine.cache.fingerprint import program_digest
    from nnx_migrate.sources.facts.observed_facts import digest

    document = {
        "program": program_digest().hex(),
        "folder": str(Path.cwd()),
        "paths": [str(path) for path in paths],
        "write": request.write,
        "facts": "" if request.facts is None else digest(request.facts),
        **{key: sorted(v) if isinstance(v, frozenset) else v for key, v in sorted(flags.items())},
    }
    return json.dumps(document)


def _command() -> str:
    return shlex.join(["nnx-migrate", *sys.argv[1:]])
