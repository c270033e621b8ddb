"""Tries what may go wrong, and writes the numbers into docs/reliability.md.

    python scripts/reliability.py --programs 1000 --texts 10000 --faults 500 --disks 100

What is given as 0 is left out, and its rows stay as they are. Exit code 1 where a promise is
broken; each such case is printed with what makes it again.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from marked_text import markdown_table, replace_marked

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reliability.md"
sys.path.insert(1, str(ROOT))

_SIGNALS = (signal.SIGKILL, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_HEADER = ("what", "#cases", "how they ended", "#promises broken")
Row = tuple[str, int, str, int]


def _programs(count: int, seed: int) -> Row:
    from tests.fuzzing.programs import program
    from tests.fuzzing.promises import WRONG, Verdict, judge

    ended: Counter[Verdict] = Counter()
    for first in range(seed, seed + count, 100):
        seeds = range(first, min(first + 100, seed + count))
        for name, judged in judge({str(each): program(each) for each in seeds}).items():
            ended[judged.verdict] += 1
            if judged.verdict in WRONG:
                print(f"scripts/fuzz.py --programs 1 --seed {name}: {judged.verdict}", flush=True)
    shown = "; ".join(f"{n} {verdict}" for verdict, n in ended.most_common())
    return "drawn programs, run three ways", count, shown, sum(ended[each] for each in WRONG)


def _texts(count: int, seed: int, home: Path) -> Row:
    from tests.fuzzing.texts import broken_promises, damaged, not_applied

    ended: Counter[str] = Counter()
    wrong = 0
    for each in range(seed, seed + count):
        result, broken = broken_promises(damaged(each), home)
        ended[result.status.value] += 1
        if not broken and result.before != result.after and each % 5 == 0:
            ended["of these given to git apply"] += 1
            broken = not_applied(result)
        if broken:
            wrong += 1
            print(f"damaged({each}): {broken}", flush=True)
    shown = ", ".join(f"{n} {status}" for status, n in ended.most_common())
    return "damaged files", count, shown, wrong


def _faults(count: int, seed: int, home: Path) -> Iterator[Row]:
    from tests.faults.battery import BATCH, Bench, every_fault, every_signal, layer

    apply = Bench(home / "project", layer(home))
    batch = Bench(home / "campaign", layer(home), arguments=BATCH)
    for command, bench in (("apply", apply), ("batch", batch)):
        calls = bench.calls()
        batteries = (
            (f"system calls of `{command}` that fail", list(every_fault(calls))),
            (f"`{command}` ended by a signal at a system call", [*every_signal(calls, _SIGNALS)]),
        )
        for name, faults in batteries:
            chosen = random.Random(seed).sample(faults, min(count, len(faults)))
            broken = [f"{fault}: {why}" for fault in chosen for why in bench.broken(fault)]
            print(*broken, sep="\n" if broken else "", flush=True)
            yield name, len(chosen), f"of {len(faults)} that there are", len(broken)


def _inputs(count: int, seed: int, home: Path) -> Row:
    from nnx_migrate.sources.journal import STATE_VARIABLE
    from tests.fuzzing.inputs import broken, inputs

    os.environ[STATE_VARIABLE] = str(home / "state")
    kinds = inputs(home)
    wrong = 0
    for name, each in kinds.items():
        for told in broken(name, each, range(seed, seed + count)):
            print(told, flush=True)
            wrong += 1
    return "damaged inputs that are no source", count * len(kinds), ", ".join(kinds), wrong


def _meanwhile(count: int, seed: int, home: Path) -> Iterator[Row]:
    from tests.faults.battery import layer
    from tests.faults.meanwhile import Meanwhile

    for command in ("apply", "batch"):
        tree = Meanwhile(home / f"meanwhile-{command}", layer(home), command)
        every = list(tree.every_change())
        chosen = random.Random(seed).sample(every, min(count, len(every)))
        broken = [f"{change}: {why}" for change in chosen for why in tree.broken(change)]
        print(*broken, sep="\n" if broken else "", flush=True)
        shown = f"of {len(every)} that there are"
        yield f"somebody changes the tree under `{command}`", len(chosen), shown, len(broken)


def _fillings(count: int, seed: int, home: Path) -> Iterator[Row]:
    from tests.faults.full import NAMES, fillings, namespace, places

    if namespace() is None:
        print("no disk can be mounted here: none is filled")
        return
    for name in NAMES:
        needed, _ = fillings(home / f"first-{name}", name)
        every = places(needed)
        sizes = random.Random(seed).sample(every, min(count, len(every)))
        _, ended = fillings(home / f"disk-{name}", name, sizes)
        for each in ended:
            for why in each.broken:
                print(f"{name} with {each.pages} pages, {each.inodes} inodes: {why}", flush=True)
        shown = f"{sum(each.full for each in ended)} of them did not hold all"
        broken = sum(bool(each.broken) for each in ended)
        yield f"disks that become full under `{name}`", len(ended), shown, broken


def _many(count: int, home: Path) -> Row:
    from tests.faults.trees import changed, many, run

    many(home / "many", count, nnx=100)
    told = run(home / "many", "apply", ".", seconds=1800)
    done = len(list(changed(home / "many")))
    shown = f"{done} of 100 files to change, {told.seconds:.0f} s, {told.megabytes:.0f} MB"
    return "tiny files in one tree", count, shown, int(done != 100 or told.code != 0)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--programs", type=int, default=100)
    parser.add_argument("--texts", type=int, default=1000)
    parser.add_argument("--faults", type=int, default=50)
    parser.add_argument("--inputs", type=int, default=1000, help="of each of the seven kinds")
    parser.add_argument("--disks", type=int, default=20)
    parser.add_argument("--files", type=int, default=50_000)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        (home / "empty").mkdir()
        rows: list[Row] = []
        if options.texts:
            rows.append(_texts(options.texts, options.seed, home / "empty"))
        if options.inputs:
            rows.append(_inputs(options.inputs, options.seed, home / "inputs"))
        if options.faults:
            rows += _faults(options.faults, options.seed, home)
            rows += _meanwhile(options.faults, options.seed, home)
        if options.disks:
            rows += _fillings(options.disks, options.seed, home)
        if options.files:
            rows.append(_many(options.files, home))
        if options.programs:
            rows.append(_programs(options.programs, options.seed))
    known = _known() | {row[0]: row for row in rows}
    replace_marked(PAGE, "scripts/reliability.py", markdown_table(_HEADER, list(known.values())))
    return int(any(row[-1] for row in rows))


def _known() -> dict[str, Row]:
    """The rows of the page as it is."""
    cells = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if re.search(r"\| \d+ \|$", line)
    ]
    return {name: (name, int(n), ended, int(broken)) for name, n, ended, broken in cells}


if __name__ == "__main__":
    sys.exit(main())
