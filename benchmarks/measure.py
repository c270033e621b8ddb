"""Runs whole processes and asks the operating system what they took."""

from __future__ import annotations

import dataclasses
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclasses.dataclass(frozen=True, slots=True)
class Sample:
    """What one process took, its children included.

    Args:
        wall: seconds by the clock.
        cpu: user and system seconds.
        peak: kilobytes of the largest single process among them.
    """

    wall: float
    cpu: float
    peak: int


@dataclasses.dataclass(frozen=True, slots=True)
class Case:
    """A command to measure.

    Args:
        name: what it is called in the results.
        command: the command line.
        folder: where it runs.
        good: the exit codes of a run that counts.
        repeats: how often it runs at most, for commands that take long.
        warmed: it runs once more just before, unmeasured, so that whoever reads the same files
            after it has no better page cache.
        prepares: its first run finds out what the others look up, and never counts.
    """

    name: str
    command: Sequence[str]
    folder: Path | None = None
    good: frozenset[int] = frozenset({0})
    repeats: int = 1_000
    warmed: bool = False
    prepares: bool = False


def run_once(case: Case) -> Sample:
    """Runs a command.

    The peak is at least that of this process, which a new process starts from: keep it small.

    Raises:
        RuntimeError: it ended with an exit code that does not count.
    """
    # GNU grep stops at the first match when it writes to /dev/null, so the output goes to a file.
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        start = time.perf_counter()
        process = subprocess.Popen(
            list(case.command),
            stdout=output,
            stderr=errors,
            cwd=case.folder,
            # Each run finds out all anew: no folder for answers can be made there.
            env={"NNX_MIGRATE_CACHE": os.devnull, **os.environ, "PYTHONPATH": str(ROOT)},
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in case.good:
            errors.seek(0)
            tail = errors.read()[-2_000:].decode(errors="replace")
            raise RuntimeError(f"{case.name}: exit code {process.returncode}\n{tail}")
    # Linux counts in kilobytes, macOS in bytes.
    peak = usage.ru_maxrss // 1024 if sys.platform == "darwin" else usage.ru_maxrss
    return Sample(wall, usage.ru_utime + usage.ru_stime, peak)


def interleaved(
    cases: Sequence[Case],
    repetitions: int,
    tell: Callable[[str], None] = lambda line: None,
    long: float = math.inf,
    run: Callable[[Case], Sample] = run_once,
) -> dict[str, Sample]:
    """Runs all cases in turn, again and again, and returns the medians by name.

    Taking turns spreads what else the machine does evenly over the cases, and the first turn,
    which warms the page cache, does not count.

    Args:
        cases: what to run.
        repetitions: how often each counts.
        tell: called with a line for each run.
        long: the first run of what takes more CPU seconds counts, and is the only one: beside so
            much work a cold page cache is little.
        run: runs a case.
    """
    samples: dict[str, list[Sample]] = {case.name: [] for case in cases}
    done: set[str] = set()
    for turn in range(repetitions + 1):
        for case in cases:
            if turn > case.repeats or (turn == 0 and case.repeats < repetitions):
                continue
            if case.name in done:
                continue
            if case.warmed:
                run(case)
            sample = run(case)
            tell(f"{case.name}: {sample.wall:.2f} s wall, {sample.cpu:.2f} s CPU")
            is_long = sample.cpu > long and not case.prepares
            if turn > 0 or is_long:
                samples[case.name].append(sample)
            if is_long:
                done.add(case.name)
    return {name: median(found) for name, found in samples.items()}


def median(samples: Sequence[Sample]) -> Sample:
    """The median of each figure."""
    return Sample(
        statistics.median(sample.wall for sample in samples),
        statistics.median(sample.cpu for sample in samples),
        round(statistics.median(sample.peak for sample in samples)),
    )


def python_command(*arguments: str | Path) -> list[str]:
    """A command line of this interpreter."""
    return [sys.executable, *map(str, arguments)]


def nnx_migrate_command(*arguments: str | Path) -> list[str]:
    """A command line of nnx-migrate, as its console script runs it, under this interpreter."""
    return python_command(
        "-c", "from nnx_migrate.cli.app import main; raise SystemExit(main())", *arguments
    )
