"""What the golden folder takes to check: `python -m benchmarks.goldens`.

Cold: what jax compiled for an earlier run is thrown away before each. All programs of both sides
run in both modes, beside the tests of what the tool writes, on two cores. The budget is 3 minutes
by the clock; on a machine that others use too, look at the CPU seconds and halve them.
"""

from __future__ import annotations

import os
import shutil
import sys

from benchmarks.measure import ROOT, Case, python_command, run_once
from tests.golden.cases import all_cases
from tests.golden.columns import ALL_COLUMNS, COMPILED

_ROUNDS = 1


def main() -> None:
    """Measures and prints: python -m benchmarks.goldens [ROUNDS]."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS
    command = python_command("-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider")
    case = Case("goldens", [*command, "tests/golden"], ROOT)
    programs = len(all_cases()) * len(ALL_COLUMNS)
    for _ in range(rounds):
        shutil.rmtree(COMPILED, ignore_errors=True)
        busy = os.getloadavg()[0]
        sample = run_once(case)
        print(
            f"{programs} runs of programs: {sample.cpu:.0f} s CPU, {sample.wall:.0f} s by the "
            f"clock, {sample.cpu / sample.wall:.2f} cores busy (load before: {busy:.1f}), "
            f"{sample.peak / 2**20:.1f} GiB for the largest process"
        )


if __name__ == "__main__":
    main()
