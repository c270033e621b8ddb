"""Draws programs of NNX, migrates them, and runs them before and after.

    python scripts/fuzz.py --programs 500 --seed 0 --out found

Each seed is a program. Those that break a promise are made small and written to `--out`, with what
the migration said of them.
"""

from __future__ import annotations

import argparse
import collections
import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

_AT_ONCE = 100


def main() -> int:
    """Run the command line; the exit code is 1 where a promise is broken."""
    # The processes that run the programs import this file, and must not have imported flax by it.
    from tests.fuzzing.programs import program
    from tests.fuzzing.promises import WRONG, Verdict, judge, save, smallest

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100, help="how many")
    parser.add_argument("--seed", type=int, default=0, help="of the first one")
    parser.add_argument(
        "--inputs",
        type=int,
        default=0,
        help="damage journals, kept answers, plans, settings so often each, and draw no programs",
    )
    parser.add_argument("--out", type=Path, help="folder for programs that break a promise")
    parser.add_argument("--as-they-are", action="store_true", help="do not make them small")
    options = parser.parse_args()
    if options.inputs:
        return _damaged_inputs(range(options.seed, options.seed + options.inputs))
    counts: collections.Counter[Verdict] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    outcomes: collections.Counter[tuple[str, str]] = collections.Counter()
    started = time.monotonic()
    last = options.seed + options.programs
    for first in range(options.seed, last, _AT_ONCE):
        programs = {str(n): program(n) for n in range(first, min(first + _AT_ONCE, last))}
        for name, judged in judge(programs).items():
            counts[judged.verdict] += 1
            outcomes += judged.outcomes()
            if judged.verdict is Verdict.INVALID:
                reasons[judged.detail[:110]] += 1
            if judged.verdict not in WRONG:
                continue
            print(f"{name}: {judged.verdict}: {' '.join(judged.detail.split())[:300]}", flush=True)
            if options.out is not None:
                small = programs[name], judged
                if not options.as_they_are:
                    small = smallest(programs[name], judged.verdict)
                save(options.out, name, *small)
        print(f"{sum(counts.values())} programs, {time.monotonic() - started:.0f} s", flush=True)
    for verdict in Verdict:
        print(f"{counts[verdict]:6} {verdict}")
    for (rule, outcome), count in sorted(outcomes.items()):
        print(f"{count:6} {rule} {outcome}")
    for reason, count in reasons.most_common(12):
        print(f"{count:6} {reason}")
    return int(any(counts[verdict] for verdict in WRONG))


def _damaged_inputs(seeds: range) -> int:
    from nnx_migrate.sources.journal import STATE_VARIABLE
    from tests.fuzzing.inputs import broken, inputs

    wrong = 0
    with tempfile.TemporaryDirectory() as home:
        os.environ[STATE_VARIABLE] = f"{home}/state"
        for name, each in inputs(Path(home)).items():
            found = 0
            for told in broken(name, each, seeds):
                print(told, flush=True)
                found += 1
            print(f"{len(seeds):6} {name}, {found} of them neither read nor refused", flush=True)
            wrong += found
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
