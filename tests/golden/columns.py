"""The columns of the test bed: which side of a case runs in which mode, one process each."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.golden.cases import GOLDEN, Case, all_cases
from tests.golden.normal_form import NormalForm, first_difference

_COMPILED = GOLDEN.parent / ".cache" / "golden-compiled"


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A side in a mode."""

    side: str
    mode: str

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
    """One program in one mode: its normal form, or the error it ended with."""

    form: NormalForm | None
    error: str
    seconds: float


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
    return first_difference(expected.form, actual.form)


def run_programs(programs: Sequence[tuple[str, Path, Path]], mode: str) -> dict[str, Result]:
    """Runs programs in one process.

    Args:
        programs: name, program and driver of each.
        mode: "graph" or "tree".

    Returns:
        A result for each name.

    Raises:
        RuntimeError: the process itself did not end well.
    """
    jobs = [
        {"name": name, "program": str(program), "drive": str(drive)}
        for name, program, drive in programs
    ]
    flag = {"graph": "true", "tree": "false"}[mode]
    environment = os.environ | {
        "NNX_GRAPH_MODE": flag,
        "NNX_GRAPH_UPDATES": flag,
        "JAX_PLATFORMS": "cpu",
        "XLA_FLAGS": "--xla_force_host_platform_device_count=4",
        "PYTHONDONTWRITEBYTECODE": "1",
        # The columns compile nearly the same programs: each is compiled once.
        "JAX_COMPILATION_CACHE_DIR": str(_COMPILED),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    with tempfile.TemporaryDirectory() as folder:
        result_file = Path(folder) / "results.pickle"
        process = subprocess.run(
            [sys.executable, "-m", "tests.golden.worker", str(result_file)],
            input=json.dumps(jobs),
            env=environment,
            cwd=GOLDEN.parent,
            capture_output=True,
            text=True,
            check=False,
        )
        if process.returncode != 0:
            raise RuntimeError(f"{mode} worker ended with {process.returncode}:\n{process.stderr}")
        found = pickle.loads(result_file.read_bytes())
    return {name: Result(*values) for name, values in found.items()}


def run_column(cases: Sequence[Case], column: Column) -> dict[str, Result]:
    """Runs one side of all cases in one mode.

    Args:
        cases: the cases; one whose side does not exist yet ends with an error that says so.
        column: the side and the mode.

    Returns:
        A result for each case name.
    """
    programs = [(case.name, case.program(column.side), case.folder / "drive.py") for case in cases]
    return run_programs(programs, column.mode)


def main() -> None:
    """Shows how cases end: python -m tests.golden.columns COLUMN[,COLUMN] [CASE...]."""
    wanted = sys.argv[1].split(",")
    cases = all_cases(tuple(sys.argv[2:]))
    columns = [column for column in ALL_COLUMNS if column.name in wanted]
    results = {column.name: run_column(cases, column) for column in columns}
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
