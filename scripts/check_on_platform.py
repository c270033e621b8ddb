"""Runs the checker's own beds on a platform of jax: `python scripts/check_on_platform.py gpu`.

The golden programs in four columns, the mutants of the mutation bed, and the toy examples of a
folder (`--examples DIR`), each migrated and recorded. CI has no GPU: this is run by hand where one
is to be had, and its table is put into docs/check.md. Exit status: 0 nothing differs that should
not, 1 something does.
"""

from __future__ import annotations

import argparse
import dataclasses
import enum
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from nnx_migrate.check.compare.comparison import DEFAULT, compare
from nnx_migrate.check.run import CheckRequest, environment_of
from nnx_migrate.check.settings import CheckSettings
from tests.golden.cases import Case, all_cases
from tests.golden.columns import (
    AFTER_GRAPH,
    AFTER_TREE,
    BEFORE_GRAPH,
    Result,
    difference,
    run_columns,
)
from tests.unit.check.mutation.mutants import all_programs
from tests.unit.check.mutation.running import Finding, check_mutants

_COLUMNS = (BEFORE_GRAPH, AFTER_GRAPH, AFTER_TREE)


class Kind(enum.StrEnum):
    """What came of a program."""

    EQUAL = "equal"
    CLOSE = "close"
    DIFFERENT = "different"
    RAISED = "raised"
    NO_REFERENCE = "no reference"


@dataclasses.dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a program, and where or why."""

    kind: Kind
    detail: str = ""

    @property
    def is_wrong(self) -> bool:
        return self.kind in {Kind.DIFFERENT, Kind.RAISED}

    def __str__(self) -> str:
        return f"{self.kind}: {self.detail}" if self.detail else self.kind.value


def golden_verdicts(
    cases: Sequence[Case], environment: Mapping[str, str], shares: int
) -> Iterator[tuple[str, str, Verdict]]:
    """Case, column and verdict of every golden program.

    Args:
        shares: how many pairs of processes run at a time.
    """
    parts = [cases[number::shares] for number in range(shares)]
    with ThreadPoolExecutor(shares) as threads:
        found = threads.map(lambda part: run_columns(part, _COLUMNS, environment), parts)
        for part, results in zip(parts, found, strict=True):
            for case in part:
                expected = results[BEFORE_GRAPH.name][case.name]
                for column in _COLUMNS[1:]:
                    verdict = _verdict(expected, results[column.name][case.name])
                    yield case.name, column.name, verdict


def _verdict(expected: Result, actual: Result) -> Verdict:
    if expected.form is None:
        return Verdict(Kind.NO_REFERENCE, " ".join(expected.error.split())[:120])
    if difference(expected, actual) is None:
        return Verdict(Kind.EQUAL)
    if actual.form is None:
        return Verdict(Kind.RAISED, " ".join(actual.error.split())[:200])
    found = compare(expected.observed, actual.observed, DEFAULT, strict_kinds=True)
    if found.different is None:
        return Verdict(Kind.CLOSE, str(found.close))
    return Verdict(Kind.DIFFERENT, str(found.different))


def mutant_verdicts(environment: Mapping[str, str], shares: int) -> list[Finding]:
    """What the checker says of every mutant."""
    programs = all_programs()
    with (
        tempfile.TemporaryDirectory() as folder,
        ThreadPoolExecutor(shares) as threads,
    ):

        def share(number: int) -> list[Finding]:
            own = Path(folder, str(number))
            own.mkdir()
            return list(check_mutants(programs[number::shares], own, environment))

        return [each for found in threads.map(share, range(shares)) for each in found]


def example_verdicts(examples: Path, platform: str) -> Iterator[tuple[str, int, str]]:
    """Each script of a folder, migrated, recorded, and checked by the installed command.

    Yields:
        Its name, the exit status of the check, and what it printed in short.
    """
    command = (sys.executable, "-m", "nnx_migrate")
    for script in sorted(examples.glob("*.py")):
        with tempfile.TemporaryDirectory() as scratch:
            old, new = (Path(scratch, side) for side in ("old", "new"))
            for side in (old, new):
                side.mkdir()
                shutil.copy(script, side)
            subprocess.run([*command, "apply", "."], cwd=new, capture_output=True, check=False)
            begin = time.monotonic()
            against = [str(old), str(new), "--platform", platform, "--format", "json"]
            ran = subprocess.run(
                [*command, "check", *against, "--", sys.executable, script.name],
                cwd=scratch,
                capture_output=True,
                text=True,
                check=False,
            )
            told = Counter[str]()
            if ran.stdout.startswith("{"):
                for case in json.loads(ran.stdout).get("cases", ()):
                    told.update(column["verdict"] for column in case["columns"].values())
            seconds = time.monotonic() - begin
            summary = f"{dict(told) or ran.stdout + ran.stderr}, {seconds:.0f} s"
            yield script.name, ran.returncode, summary


def examples_differ(examples: Path, platform: str) -> bool:
    """Print what came of the scripts of a folder; whether some check did not pass."""
    differ = False
    for name, status, summary in example_verdicts(examples, platform):
        differ |= status != 0
        print(f"example {name}: exit {status}, {summary}", flush=True)
    return differ


def goldens_differ(cases: Sequence[Case], environment: Mapping[str, str], shares: int) -> bool:
    """Print what came of golden programs; whether one raised or gave something else."""
    differ = False
    begin = time.monotonic()
    counts = Counter[tuple[str, Kind]]()
    for name, column, verdict in golden_verdicts(cases, environment, shares):
        counts[column, verdict.kind] += 1
        differ |= verdict.is_wrong
        if verdict.kind is not Kind.EQUAL:
            print(f"golden {name} {column}: {verdict}", flush=True)
    print(f"goldens: {len(cases)} in {time.monotonic() - begin:.0f} s")
    for (column, kind), count in sorted(counts.items()):
        print(f"  {column} {kind}: {count}")
    return differ


def mutants_differ(environment: Mapping[str, str], shares: int) -> bool:
    """Print what the checker says of mutants; whether it is wrong about one."""
    begin = time.monotonic()
    findings = mutant_verdicts(environment, shares)
    kinds = Counter((each.mutant.kind, str(each.verdict)) for each in findings)
    wrong = [each for each in findings if not each.as_it_should_be]
    for each in wrong:
        print(f"mutant {each.program}, {each.mutant.kind} {each.mutant.name}: ", end="")
        print(*(f"{column.difference or column.reason}" for column in each.columns))
    print(f"mutants: {len(findings)} in {time.monotonic() - begin:.0f} s: {dict(kinds)}")
    return bool(wrong)


def main() -> int:
    """Run the beds and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("platform", choices=("cpu", "gpu"))
    parser.add_argument("--examples", type=Path)
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their name")
    parser.add_argument("--shares", type=int, default=1, help="pairs of processes at a time")
    parser.add_argument("--skip", nargs="*", default=(), choices=("goldens", "mutants"))
    arguments = parser.parse_args()
    environment = {
        **environment_of(CheckRequest(CheckSettings(), platform=arguments.platform)),
        "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
        "JAX_PERSISTENT_CACHE_MIN_ENTRY_SIZE_BYTES": "-1",
    }
    differ = False
    if arguments.examples is not None:
        differ |= examples_differ(arguments.examples, arguments.platform)
    if "goldens" not in arguments.skip:
        cases = [case for case in all_cases() if arguments.only in case.name]
        differ |= goldens_differ(cases, environment, arguments.shares)
    if "mutants" not in arguments.skip:
        differ |= mutants_differ(environment, arguments.shares)
    return int(differ)


if __name__ == "__main__":
    sys.exit(main())
