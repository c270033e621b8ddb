"""`nnx-migrate check`, from its flags to its exit code."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import typer

from nnx_migrate.check.bases import Bases
from nnx_migrate.check.branches.coverage import branches_not_taken
from nnx_migrate.check.cache import Cache, circumstances
from nnx_migrate.check.callers.judged import may_pass_by_callers, through_callers
from nnx_migrate.check.callers.recorded import recorded_callers
from nnx_migrate.check.cases.coverage import files_not_compared, files_not_imported
from nnx_migrate.check.cases.imported import with_own_files
from nnx_migrate.check.cases.inputs import (
    CannotCheck,
    Inputs,
    cases_of,
    kept_recording,
    record_command,
)
from nnx_migrate.check.cases.touched import Touched, touched_functions
from nnx_migrate.check.compare.case_verdicts import Strictness
from nnx_migrate.check.compare.forms import NotDone
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.copies import told as told_of
from nnx_migrate.check.jobs import Column, Costs, Job, Limits, Method, Side
from nnx_migrate.check.matrix import matrix
from nnx_migrate.check.output.ordered_verdicts import Listener, OrderedVerdicts
from nnx_migrate.check.parallel import check_in_groups
from nnx_migrate.check.report import CheckReport
from nnx_migrate.check.settings import CheckSettings
from nnx_migrate.check.worker import column as worker
from nnx_migrate.check.worker.processes import Workers, running_workers
from nnx_migrate.sources.own_folder import OwnFolder

STATE = Path(".nnx-migrate")


@dataclasses.dataclass(frozen=True, slots=True)
class CheckRequest:
    """What `nnx-migrate check` is asked for.

    Args:
        settings: case files, limits, tolerances.
        only: parts of the names of the cases to check; all when empty. What else differs was
            not asked for, and is no gap.
        platform: "cpu", "gpu" or "" for what jax chooses.
        x64: let jax compute in 64 bits.
        costs: measure them.
        method: whether cases are proved, run, or first the one and then the other.
        cached: verdicts of earlier checks count.
        recording: the file for calls of the user's own program; None for the usual place.
        calls: how many calls of a function are recorded.
        jobs: how many cases are checked at once.
        also: files that are the same and whose transforms are checked, too.
    """

    settings: CheckSettings
    only: tuple[str, ...] = ()
    platform: str = ""
    x64: bool = False
    costs: bool = False
    method: Method = Method.PROVE_OR_RUN
    cached: bool = True
    recording: Path | None = None
    calls: int = 3
    jobs: int = 1
    also: tuple[str, ...] = ()


def run_check(
    old: Side, new: Side, request: CheckRequest, listener: Listener | None = None
) -> CheckReport:
    """Checks all cases, with progress on a terminal where nobody is told of each.

    Args:
        old: the tree before.
        new: the tree after.
        request: what and how.
        listener: is told of verdicts as they are known.

    Raises:
        CannotCheck: there is no case, or the platform is not there.
    """
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-", ignore_cleanup_errors=True) as folder:
        touched = touched_functions(old, new)
        known = {each.path for each in touched}
        touched += tuple(Touched(path) for path in request.also if path not in known)
        data = request.settings.data
        bases = Bases(old, new, Path(folder).resolve(), data, touched)
        return _checked(bases, request, listener)


def _checked(bases: Bases, request: CheckRequest, listener: Listener | None) -> CheckReport:
    old, new = bases.old, bases.new
    columns = matrix(old, new)
    inputs = _inputs(bases, request)
    asked = [job for job in inputs.jobs if not request.only or _is_named(job, request.only)]
    wanted = [job for job in asked if not _is_named(job, request.settings.exclude)]
    left_out = [job.name for job in asked if job not in wanted]
    remarks = [f"left out by --exclude: {', '.join(left_out)}"] if left_out else []
    environment = environment_of(request)
    told = circumstances(
        {
            "environment": environment,
            "tolerances": request.settings.tolerances,
            "method": request.method,
        }
    )
    cache = Cache((STATE / "check").resolve(), (old, new), told, bases)
    known = {job.name: cache.find(job) for job in wanted if request.cached and not request.costs}
    ordered = OrderedVerdicts(wanted, columns, STATE / "repro", listener, waits=may_pass_by_callers)
    ordered.results |= {name: found for name, found in known.items() if found}
    left = [job for job in wanted if job.name not in ordered.results]
    ordered.begin()
    costs: dict[str, dict[str, Costs]] = {}
    if left:
        if bases.left_out:
            remarks.append(told_of(bases.left_out))
        with _workers(bases, request, min(len(left), request.jobs), environment) as workers:
            _require_platform(workers[0], left[0], request.platform)
            strictness = Strictness(request.settings.tolerances)
            jobs = list(map(bases.job, left))
            found = check_in_groups(jobs, workers, strictness, request.method)
            if listener is None:
                found = _with_progress(found, len(left))
            try:
                for job, result in zip(left, found, strict=True):
                    cache.keep(job, result)
                    ordered.know(result)
                if request.costs:
                    costs = {job.name: _costs(workers[0], bases.job(job)) for job in left}
            except KeyboardInterrupt:
                # What is known by now took its time.
                remarks.append("interrupted; the remaining cases are not checked")
    for job in wanted:
        if job.name not in ordered.results:
            ordered.know(_interrupted(job, columns))
    results = through_callers(
        [ordered.results[job.name] for job in wanted],
        (bases.old, bases.new),
        recorded_callers(inputs.jobs),
    )
    ordered.end(results)
    gaps = () if request.only else _gaps(bases, inputs, results)
    cases = with_own_files(results, {job.name: job for job in wanted}, (old, new))
    return CheckReport(
        cases,
        [column.name for column in columns[1:]],
        costs,
        ordered.scripts,
        (*remarks, *inputs.remarks),
        gaps,
        request.settings.allow_unchecked,
        branches_not_taken(old, new, bases.touched, cases),
    )


def _interrupted(job: Job, columns: Sequence[Column]) -> CaseResult:
    nothing = ColumnResult(Verdict.NOT_CHECKED, "interrupted")
    return CaseResult(job.name, {column.name: nothing for column in columns[1:]}, 0.0, {})


def _gaps(bases: Bases, inputs: Inputs, results: Sequence[CaseResult]) -> tuple[str, ...]:
    """What differs between the trees, and no case looks at."""
    old, new = bases.old, bases.new
    found = [*inputs.gaps, *files_not_compared(old, new)]
    by_function = inputs.gaps or any(job.kind == "recorded" for job in inputs.jobs)
    if not by_function and not old.is_program:
        imported = {name for each in results for files in each.files.values() for name in files}
        found += files_not_imported(bases.touched, imported)
    return tuple(found)


def _inputs(bases: Bases, request: CheckRequest) -> Inputs:
    settings = request.settings
    cases = cases_of(settings.cases)
    if settings.command:
        recording = request.recording or state_folder() / "recording.sqlite"
        before = bases.state()
        calls = record_command(
            settings.command,
            bases.copied[0].side,
            bases.new,
            bases.touched,
            recording.absolute(),
            calls=request.calls,
            environment=environment_of(request),
        )
        bases.carry_over(before)
    elif request.recording is not None:
        calls = kept_recording(request.recording.absolute(), bases.old, bases.touched)
    else:
        calls = Inputs(())
    jobs = (*cases.jobs, *calls.jobs)
    if not jobs and not calls.remarks and not calls.gaps:
        raise CannotCheck(
            "nothing to check: add a command that runs your code (-- pytest tests/), or a file "
            "of cases (--cases FILE)"
        )
    written = list(bases.written)
    remarks = [f"the command wrote {_some(written)}; every case gets a copy"] if written else []
    return Inputs(jobs, (*remarks, *calls.remarks), calls.gaps)


def state_folder() -> Path:
    """The folder here for what commands keep for later ones, which git leaves alone."""
    with OwnFolder(STATE) as own:
        own.put(".gitignore", b"*\n")
    return STATE


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more files" if len(names) > 3 else "")


def environment_of(request: CheckRequest) -> dict[str, str]:
    """The variables that worker processes are started with."""
    platforms = {"cpu": "cpu", "gpu": "cuda", "": ""}
    environment = {"PYTHONDONTWRITEBYTECODE": "1"}
    if request.platform:
        environment["JAX_PLATFORMS"] = platforms[request.platform]
    if request.platform != "cpu" and "XLA_PYTHON_CLIENT_PREALLOCATE" not in os.environ:
        # The first of three processes would otherwise take three quarters of a GPU's memory.
        environment["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    if request.x64:
        environment["JAX_ENABLE_X64"] = "1"
    return environment


@contextlib.contextmanager
def _workers(
    bases: Bases, request: CheckRequest, count: int, environment: Mapping[str, str]
) -> Iterator[Sequence[Workers]]:
    """So many groups of processes, one for each column."""
    limits = Limits(request.settings.timeout, request.settings.memory)
    with tempfile.TemporaryDirectory(prefix="nnx-migrate-") as folder:
        # The columns compile nearly the same programs: each is compiled once.
        shared = {
            "JAX_COMPILATION_CACHE_DIR": os.environ.get("JAX_COMPILATION_CACHE_DIR", folder),
            "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
            "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
        }
        logs = state_folder().resolve() / "logs"
        with OwnFolder(logs) as own_logs:
            for name in own_logs.names():
                own_logs.remove(name)
        with contextlib.ExitStack() as stack:
            yield [
                stack.enter_context(
                    running_workers(
                        bases.columns(slot),
                        limits,
                        {**environment, **shared},
                        logs,
                        suffix=f"-{slot + 1}" if slot else "",
                    )
                )
                for slot in range(count)
            ]


def _require_platform(workers: Workers, job: Job, platform: str) -> None:
    if not platform:
        return
    found = workers.settle(workers.submit(worker.probe, workers.columns[0], job), str)
    if isinstance(found, NotDone):
        # Some say nothing but the name of their class.
        raise CannotCheck(f"there is no {platform} here: {found.reason.rstrip(': ')}")
    if found not in {"cpu": ("cpu",), "gpu": ("gpu", "cuda", "rocm")}[platform]:
        raise CannotCheck(f"there is no {platform} here; JAX runs on {found}")


def _with_progress(results: Iterator[CaseResult], count: int) -> Iterator[CaseResult]:
    if not sys.stderr.isatty():
        yield from results
        return
    with typer.progressbar(results, length=count, label="checking", file=sys.stderr) as bar:
        yield from bar


def _costs(workers: Workers, job: Job) -> dict[str, Costs]:
    pending = [workers.submit(worker.measure, column, job) for column in workers.columns]
    found = [workers.settle(each, Costs) for each in pending]
    return {
        column.name: cost
        for column, cost in zip(workers.columns, found, strict=True)
        if isinstance(cost, Costs)
    }


def _is_named(job: Job, parts: Sequence[str]) -> bool:
    return any(part in job.name for part in parts)
