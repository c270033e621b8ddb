"""The mutants of the test-bed in the checker, many to a process."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from nnx_migrate.check.cases.casefile import case_names
from nnx_migrate.check.compare.case_verdicts import Strictness
from nnx_migrate.check.compare.comparison import DEFAULT
from nnx_migrate.check.compare.verdicts import CaseResult, ColumnResult, Verdict
from nnx_migrate.check.jobs import Column, Job, Limits, Side
from nnx_migrate.check.matrix import check_jobs, matrix
from nnx_migrate.check.worker.processes import Pending, Workers, running_workers
from tests.golden.columns import QUICKLY_COMPILED
from tests.unit.check.mutation.mutants import Mutant, Program

_ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": QUICKLY_COMPILED,
    # Most of what one column compiles, another has compiled already.
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
_Given = TypeVar("_Given")


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """What the checker says of a mutant.

    Args:
        program: its name.
        mutant: what was changed.
        cases: result of each case, by its name.
    """

    program: str
    mutant: Mutant
    cases: Mapping[str, CaseResult]

    @property
    def columns(self) -> list[ColumnResult]:
        """The results of all cases in all columns."""
        return [column for case in self.cases.values() for column in case.columns.values()]

    @property
    def verdict(self) -> Verdict:
        """The weakest of them: a difference counts before a gap."""
        found = {case.verdict for case in self.cases.values()}
        if Verdict.DIFFERENT in found:
            return Verdict.DIFFERENT
        return max(found, key=list(Verdict).index)

    @property
    def as_it_should_be(self) -> bool:
        """Whether the checker tells what is broken from what is not."""
        if self.mutant.kind == "broken":
            return self.verdict is Verdict.DIFFERENT
        return all(column.verdict.passes for column in self.columns)


@dataclasses.dataclass(frozen=True, slots=True)
class OneReference(Workers):
    """Workers that look at what all mutants of a program are compared with only once."""

    known: dict[tuple[object, Path, str], Pending] = dataclasses.field(default_factory=dict)

    def submit(
        self, function: Callable[[Column, Job], _Given], column: Column, job: Job
    ) -> Pending:
        if column.side.name == "new":
            return Workers.submit(self, function, column, job)
        wanted = (function, job.file, job.entry)
        if wanted not in self.known:
            self.known[wanted] = Workers.submit(self, function, column, job)
        return self.known[wanted]


def check_mutants(
    programs: Sequence[Program], folder: Path, environment: Mapping[str, str] = _ENVIRONMENT
) -> Iterator[Finding]:
    """Checks every mutant with every case of its program.

    Args:
        programs: what is to be checked.
        folder: takes the files; it is empty.
        environment: variables of the processes; jax runs on the CPU by default.
    """
    old, new = (folder / name for name in ("old", "new"))
    asked = [
        (program, mutant, _jobs(program, mutant, f"{program.name}_{number}", folder))
        for program in programs
        for number, mutant in enumerate(program.mutants)
    ]
    columns = matrix(Side("old", old, (old,)), Side("new", new, (new,)))
    cache = {"JAX_COMPILATION_CACHE_DIR": str(folder / "compiled"), **environment}
    with running_workers(columns, Limits(60), cache, folder) as workers:
        once = OneReference(workers.pools, workers.columns, workers.limits)
        jobs = [job for _, _, some in asked for job in some]
        results = check_jobs(jobs, once, Strictness(DEFAULT))
        for program, mutant, some in asked:
            found = {job.entry: next(results) for job in some}
            yield Finding(program.name, mutant, found)


def _jobs(program: Program, mutant: Mutant, name: str, folder: Path) -> list[Job]:
    file = folder / "cases" / f"{program.name}.py"
    for path, text in (
        (file, program.cases),
        (folder / "old" / f"{name}.py", program.before),
        (folder / "new" / f"{name}.py", mutant.text),
    ):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [
        Job(f"{name}:{case}", "function", file, case, f"{name}.py") for case in case_names(file)
    ]
