"""What the checker says of mutants of golden programs, and what a run of their drivers shows."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from nnx_migrate.check.branches.lines import watch_lines
from nnx_migrate.check.callers.judged import may_pass_by_callers, through_callers
from nnx_migrate.check.callers.recorded import recorded_callers
from nnx_migrate.check.cases.readers import is_spoken_for, with_readers
from nnx_migrate.check.cases.touched import module_jobs, touched_functions
from nnx_migrate.check.compare.case_verdicts import Strictness
from nnx_migrate.check.compare.comparison import DEFAULT, compare
from nnx_migrate.check.compare.verdicts import CaseResult, Verdict
from nnx_migrate.check.jobs import Column, Job, Limits, Ran, Side
from nnx_migrate.check.matrix import check_jobs, matrix
from nnx_migrate.check.recording.store import recorded_jobs
from nnx_migrate.check.worker import column as worker
from nnx_migrate.check.worker.processes import Workers, running_workers
from tests.golden.cases import all_cases
from tests.golden.columns import ENVIRONMENT
from tests.unit.check.machine.digests import digest_of
from tests.unit.check.machine.mutators import BREAKING, KEEPING, Way, drawn
from tests.unit.check.machine.recorded import BEFORE, recording_of
from tests.unit.check.mutation.running import OneReference

ROOT = Path(__file__).parents[4]
CHECKER = ROOT / "nnx_migrate" / "check"
# What decides a verdict; a change of any of it may change one.
_DECIDING = ("branches", "cases", "compare", "proof", "recording", "worker")
# Changes of the checker: the digests before and after it, and words of the programs of which it may
# change a verdict. It says the same of all others.
_HOLDING = (
    # Arguments of calls that donate are not held any more; drivers may have an annotation.
    ("1542dc48", "e7706145", ("donate", "ModuleType")),
)
# Who calls is recorded with the calls.
_AROUND = CHECKER / "callers" / "around.py"
GOLDEN = ROOT / "golden"
# Further drivers, that look where those of golden programs do not.
LOOKS = Path(__file__).parent / "looks"
# To import flax costs as much as some programs.
_AT_ONCE = 40
LIMITS = Limits(seconds=120, cases=400)
AS_IT_WAS = "as it was migrated"
Truth = Literal["same", "rounding", "differs", "raises", "unknown"]


@dataclasses.dataclass(frozen=True, slots=True)
class Mutant:
    """A golden program with one change of its migrated text.

    Args:
        case: its folder.
        way: how it was changed.
        text: the program.
    """

    case: Path
    way: Way
    text: str

    @property
    def key(self) -> str:
        """The same for the same programs and drivers."""
        return hashlib.sha256("\0".join(self.texts).encode()).hexdigest()[:16]

    @property
    def texts(self) -> list[str]:
        """All that it is judged by: the program before, the drivers, and its own."""
        files = [self.case / BEFORE, *self.drivers]
        return [*(file.read_text() for file in files), self.text]

    @property
    def drivers(self) -> list[Path]:
        """What shows whether it differs: that of the golden program, and one that looks closer."""
        looks = LOOKS / f"{self.case.parent.name}__{self.case.name}.py"
        return [self.case / "drive.py", *([looks] if looks.is_file() else [])]


@dataclasses.dataclass(frozen=True, slots=True)
class Judged:
    """A mutant, judged.

    Args:
        key: of the mutant.
        case: rule and name of its golden program.
        way: how it was changed.
        keeps: whether the way is one that changes nothing.
        truth: what its driver shows, beside the program before.
        verdict: of the checker; "no case" where nothing that differs was called.
        told: what the checker says beside it.
        checker: which version of it, as `checker_digest` says; "" for those before that.
        callers: which version of what it says by callers; likewise.
    """

    key: str
    case: str
    way: str
    keeps: bool
    truth: str
    verdict: str
    told: str
    checker: str = ""
    callers: str = ""


@functools.cache
def checker_digest() -> str:
    """The same for versions of the checker that say the same of every program."""
    return digest_of([CHECKER / "matrix.py", *_files(*_DECIDING), _AROUND])


@functools.cache
def callers_digest() -> str:
    """The same for versions that judge alike by callers: they look at what is different alone."""
    return digest_of([file for file in _files("callers") if file != _AROUND])


@functools.cache
def recorder_digest() -> str:
    """The same for versions that record the same calls, and alike."""
    return digest_of([*_files("recording", "compare"), _AROUND])


def _files(*rooms: str) -> list[Path]:
    return [file for room in rooms for file in sorted((CHECKER / room).rglob("*.py"))]


def is_older(mutant: Mutant, known: Mapping[str, Any]) -> bool:
    """Whether a verdict may be another one by now.

    Args:
        mutant: whose.
        known: it, as it is kept.
    """
    checker = known.get("checker")
    for before, after, words in _HOLDING:
        if checker == before and not any(word in text for word in words for text in mutant.texts):
            checker = after
    if checker != checker_digest():
        return True
    apart = known["verdict"] in (Verdict.DIFFERENT, Verdict.BY_CALLERS)
    return apart and known.get("callers") != callers_digest()


def all_mutants(each: int = 4, harmless: int = 1) -> list[Mutant]:
    """The mutants of the bed, always the same.

    Args:
        each: how many of a program may do something else.
        harmless: how many may not.
    """
    found = []
    for case in all_cases():
        file = case.folder / "after.py"
        # What raises before it is migrated is no reference.
        if not file.is_file() or "graph" in case.expectation().raises:
            continue
        text, name = file.read_text(), case.name
        some = [*drawn(name, text, BREAKING, each), *drawn(name, text, KEEPING, harmless)]
        found += [Mutant(file.parent, way, changed) for way, changed in some]
    return found


def unchanged(mutant: Mutant) -> Mutant:
    """The program that a mutant was made from, as a mutant that keeps everything.

    Args:
        mutant: any.
    """
    text = (mutant.case / "after.py").read_text()
    return Mutant(mutant.case, Way(AS_IT_WAS, True, lambda _: iter(())), text)


def record(cases: Sequence[Path], folder: Path) -> None:
    """Records golden programs in a process of its own, those that are not recorded yet.

    Args:
        cases: their folders.
        folder: takes a recording for each.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cases = [case for case in cases if not recording_of(case, folder).exists()]
    if not cases:
        return
    command = [sys.executable, "-m", "tests.unit.check.machine.recorded", str(folder)]
    environment = {**os.environ, **ENVIRONMENT}
    subprocess.run(
        [*command, *map(str, cases)],
        cwd=ROOT,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def judge(mutants: Sequence[Mutant], folder: Path, calls: Path) -> Iterator[Judged]:
    """Judges mutants and runs their drivers, many to a process.

    Args:
        mutants: in the order of their programs.
        folder: takes files.
        calls: takes recordings, and may have some.
    """
    cases = list(dict.fromkeys(mutant.case for mutant in mutants))
    empty = Side("old", GOLDEN, ()), Side("new", GOLDEN, ())
    with running_workers(matrix(*empty), LIMITS, ENVIRONMENT, folder) as workers:
        case = None
        for mutant in mutants:
            if mutant.case != case:
                number = cases.index(mutant.case)
                if not recording_of(mutant.case, calls).exists():
                    record(cases[number : number + _AT_ONCE], calls)
                case, once = mutant.case, OneReference(workers.pools, (), LIMITS)
            yield _judged(mutant, once, folder, calls)


def _judged(mutant: Mutant, once: OneReference, folder: Path, calls: Path) -> Judged:
    program = folder / f"m{mutant.key}" / "program.py"
    program.parent.mkdir()
    program.write_text(mutant.text)
    # Its classes are among the arguments of recorded calls.
    shutil.copy(mutant.case / "drive.py", program.parent)
    old = Side("old", mutant.case / BEFORE, (), watched=(BEFORE,))
    new = Side("new", program, (), watched=(BEFORE,))
    columns = matrix(old, new)
    workers = dataclasses.replace(once, columns=columns)
    for column in columns:
        # The processes are those of all mutants, and were started before this one was there.
        Workers.submit(workers, _watch, column, Job("", "module", program, ""))
    truth = _truth(mutant, workers)
    jobs = _jobs(mutant, old, new, calls)
    if not jobs and mutant.way.name == AS_IT_WAS:
        # Nothing was migrated. A mutant of it is accused for its sake all the same.
        jobs = list(recorded_jobs(recording_of(mutant.case, calls)))
    results: list[CaseResult] = []
    for job in jobs:
        results += check_jobs([job], workers, Strictness(DEFAULT))
        if results[-1].verdict is Verdict.DIFFERENT and not may_pass_by_callers(results[-1]):
            # No other call of it could say more.
            break
    results = through_callers(results, (old, new), recorded_callers(jobs))
    verdict, told = _summary(results)
    gaps = _without_a_case(mutant, old, new, calls)
    if gaps and verdict not in (Verdict.DIFFERENT, Verdict.NOT_CHECKED, "no case"):
        # The command ends with 2 for these.
        verdict, told = Verdict.NOT_CHECKED.value, f"{', '.join(gaps)} differs and has no case"
    shutil.rmtree(program.parent)
    name = mutant.case.relative_to(GOLDEN).as_posix()
    way = mutant.way
    versions = checker_digest(), callers_digest()
    return Judged(mutant.key, name, way.name, way.keeps, truth, verdict, told, *versions)


def _watch(column: Column, job: Job) -> None:
    watch_lines(column.side)


def _truth(mutant: Mutant, workers: Workers) -> Truth:
    """What its drivers show: the first that differs."""
    found = [_shown(driver, workers) for driver in mutant.drivers]
    return next((each for each in found if each not in ("same", "rounding")), found[0])


def _shown(driver: Path, workers: Workers) -> Truth:
    """What a driver shows: the worse of both modes, as far as it takes to know it."""
    job = Job("drive", "function", driver, "drive")
    reference, *others = workers.columns
    old = workers.settle(workers.submit(worker.run, reference, job), Ran)
    found: Truth = "same"
    for column in reversed(others):
        new = workers.settle(workers.submit(worker.run, column, job), Ran)
        if not isinstance(new, Ran) or not isinstance(old, Ran):
            return "unknown"
        if new.called.raised and not old.called.raised:
            return "raises"
        apart = compare(old.called, new.called)
        if apart.different:
            return "differs"
        found = "rounding" if apart.close else found
    return found


def _jobs(mutant: Mutant, old: Side, new: Side, calls: Path) -> list[Job]:
    touched = touched_functions(old, new)
    names = {name for each in with_readers(old, touched) for name in each.watched}
    recording = recording_of(mutant.case, calls)
    found = [job for job in recorded_jobs(recording) if _function(job) in names]
    return [*found, *module_jobs(touched)]


def _without_a_case(mutant: Mutant, old: Side, new: Side, calls: Path) -> list[str]:
    """What differs, and no call speaks for."""
    jobs = recorded_jobs(recording_of(mutant.case, calls))
    called = {_function(job) for job in jobs}
    names = {job.name.rpartition("#")[0] for job in jobs}
    return [
        name
        for each in with_readers(old, touched_functions(old, new))
        for name in each.functions + each.values
        if name not in called and not is_spoken_for(each, name, names)
    ]


def _function(job: Job) -> str:
    name = job.name.partition(":")[2].rpartition("#")[0]
    for part in (".fget", ".fset", ".fdel"):
        name = name.removesuffix(part)
    return name.partition("(")[0]


def _summary(results: Sequence[CaseResult]) -> tuple[str, str]:
    if not results:
        return "no case", ""
    verdicts = [each.verdict for each in results]
    worst = (
        Verdict.DIFFERENT
        if Verdict.DIFFERENT in verdicts
        else max(verdicts, key=list(Verdict).index)
    )
    name, column, result = next(
        (each.name, column, result)
        for each in results
        if each.verdict is worst
        for column, result in each.columns.items()
        if result.verdict is worst
    )
    said = "; ".join(str(each) for each in (result.difference, result.reason) if each)
    told = f"{name}: {column}: {result.part} {said}"
    return worst.value, told[:300]


def counted(judged: Sequence[Judged]) -> Mapping[str, int]:
    """How many there are of each truth and verdict."""
    found: dict[str, int] = {}
    for each in judged:
        pair = f"{'harmless' if each.keeps else 'changed'}: {each.truth}: {each.verdict}"
        found[pair] = found.get(pair, 0) + 1
    return dict(sorted(found.items()))
