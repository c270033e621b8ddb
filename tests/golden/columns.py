"""The columns of the test bed: which side of a case runs in which mode."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from nnx_migrate.check.compare.comparison import EXACT, compare
from nnx_migrate.check.compare.forms import Array, Form, NotDone, Observation
from nnx_migrate.check.jobs import Limits, Mode, Ran
from tests.golden.cases import GOLDEN, Case, all_cases
from tests.golden.two_processes import Task, run_tasks

# Compiled once and run once, so optimising programs costs more than it gains. The emitters of
# fusions take as long as all the rest, also where there is next to nothing to fuse. (Every process
# dies at its start where XLA does not know a flag any more.)
QUICKLY_COMPILED = (
    "--xla_backend_optimization_level=0 --xla_cpu_use_fusion_emitters=false"
    " --xla_cpu_parallel_codegen_split_count=1"
)
COMPILED = GOLDEN.parent / ".cache" / "golden-compiled"
ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    "XLA_FLAGS": f"--xla_force_host_platform_device_count=4 {QUICKLY_COMPILED}",
    "PYTHONDONTWRITEBYTECODE": "1",
    # The columns compile nearly the same programs: each is compiled once.
    "JAX_COMPILATION_CACHE_DIR": str(COMPILED),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
    "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
}
# A program may wait behind others that are compiled on a busy machine; it must not hang for ever.
_LIMITS = Limits(seconds=300, cases=160)


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A side in a mode."""

    side: str
    mode: Mode

    @property
    def name(self) -> str:
        """As it is written in reports: before@graph."""
        return f"{self.side}@{self.mode}"


BEFORE_GRAPH = Column("before", "graph")
BEFORE_TREE = Column("before", "tree")
AFTER_GRAPH = Column("after", "graph")
AFTER_TREE = Column("after", "tree")
ALL_COLUMNS = (BEFORE_GRAPH, BEFORE_TREE, AFTER_GRAPH, AFTER_TREE)


@dataclasses.dataclass(frozen=True, slots=True)
class Result:
    """One program in one mode.

    Args:
        observed: what its driver returned, or the exception that it ended with.
        seconds: how long it took.
    """

    observed: Observation
    seconds: float

    @property
    def form(self) -> Form | None:
        """What the driver returned, by path; None when it raised."""
        return self.observed.view.form if self.observed.view is not None else None

    @property
    def error(self) -> str:
        """Type and text of the exception; "" when there was none."""
        return f"{self.observed.raised}: {self.observed.message}" if self.observed.raised else ""


def difference(expected: Result, actual: Result) -> str | None:
    """Compares a program with its reference.

    Args:
        expected: the reference; it must have run.
        actual: what is compared with it.

    Returns:
        None when both ran and their results are exactly equal, else what is different.

    Raises:
        ValueError: the reference did not run.
    """
    if expected.form is None:
        raise ValueError(f"the reference did not run: {expected.error}")
    if actual.form is None:
        return f"raised {actual.error}"
    found = compare(expected.observed, actual.observed, EXACT, strict_kinds=True).different
    return None if found is None else str(found)


def on_one_device(result: Result) -> Result:
    """A result with no word of where its arrays lie."""
    view = result.observed.view
    if view is None:
        return result
    form = {
        path: dataclasses.replace(leaf, placement="") if isinstance(leaf, Array) else leaf
        for path, leaf in view.form.items()
    }
    observed = dataclasses.replace(result.observed, view=dataclasses.replace(view, form=form))
    return dataclasses.replace(result, observed=observed)


Program = tuple[str, Path, Path]
Run = tuple[Sequence[Program], Mode]


def run_programs(programs: Sequence[Program], mode: Mode) -> dict[str, Result]:
    """Runs programs in one mode.

    Args:
        programs: name, program and driver of each.
        mode: "graph" or "tree".

    Returns:
        A result for each name.
    """
    return run_matrix([(programs, mode)])[0]


def run_matrix(
    runs: Sequence[Run], environment: Mapping[str, str] = ENVIRONMENT
) -> list[dict[str, Result]]:
    """Runs sets of programs, each in its mode.

    Args:
        runs: the programs and the mode of each.
        environment: variables of the processes; jax runs on the CPU by default.

    Returns:
        A result for each name, for each of them.
    """
    tasks = [
        Task((number, name), mode, program, drive)
        for number, (programs, mode) in enumerate(runs)
        for name, program, drive in programs
    ]
    found = run_tasks(tasks, GOLDEN, _LIMITS, environment)
    return [
        {name: _result(found[number, name]) for name, _, _ in programs}
        for number, (programs, _) in enumerate(runs)
    ]


def _result(ran: Ran | NotDone) -> Result:
    if isinstance(ran, NotDone):
        return Result(Observation(None, "NotDone", ran.reason), 0.0)
    return Result(ran.called, ran.seconds)


def run_columns(
    cases: Sequence[Case], columns: Sequence[Column], environment: Mapping[str, str] = ENVIRONMENT
) -> dict[str, dict[str, Result]]:
    """Runs sides of all cases in their modes.

    Args:
        cases: the cases; one whose side does not exist yet ends with an error that says so.
        columns: the sides and their modes; the first is the reference.
        environment: variables of the processes.

    Returns:
        A result for each case name, by the name of the column.
    """
    runs = [
        (
            [(case.name, case.program(column.side), case.folder / "drive.py") for case in cases],
            column.mode,
        )
        for column in columns
    ]
    found = run_matrix(runs, environment)
    return {column.name: results for column, results in zip(columns, found, strict=True)}


def main() -> None:
    """Shows how cases end: python -m tests.golden.columns COLUMN[,COLUMN] [CASE...]."""
    wanted = sys.argv[1].split(",")
    cases = all_cases(tuple(sys.argv[2:]))
    columns = [column for column in ALL_COLUMNS if column.name in wanted]
    results = run_columns(cases, columns)
    reference = results[columns[0].name]
    for case in cases:
        for column in columns:
            result, expected = results[column.name][case.name], reference[case.name]
            if expected.form is None:
                verdict = f"raised {result.error}" if result.form is None else "ran"
            else:
                verdict = difference(expected, result) or f"equal, {len(expected.form)} leaves"
            verdict = " ".join(verdict.split())[:200]
            print(f"{case.name:48} {column.name:13} {result.seconds:5.1f}s  {verdict}")


if __name__ == "__main__":
    main()
