"""Compares what `nnx-migrate` says of generated programs with what they do in both modes.

    python scripts/bed.py             # rewrites docs/silence.md
    python scripts/bed.py --list      # prints each program with a wrong verdict
    python scripts/bed.py --run       # runs the programs again, and writes their results
    python scripts/bed.py --show KEY  # prints a program, and its findings

Where a transform is applied, how the object gets there, what is done to it and how that is called
are crossed by a seed (`tests/bed`). Exit status: 0 no silent difference is missed, 1 one is.
"""

from __future__ import annotations

import argparse
import collections
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from marked_text import markdown_table, replace_marked

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "silence.md"
sys.path.insert(0, str(ROOT))

if TYPE_CHECKING:
    from tests.bed.verdicts import Judged


def main() -> int:
    """Run the command line."""
    # The processes that run the programs import this file, and must not have imported flax by it.
    from tests.bed.programs import programs
    from tests.bed.truth import seen, store, stored
    from tests.bed.verdicts import Verdict, judge

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--list", action="store_true", help="print what is wrong; no page")
    parser.add_argument("--run", action="store_true", help="run the programs; no page")
    parser.add_argument("--show", metavar="KEY", help="print a program; no page")
    parser.add_argument("--every", type=int, default=1, help="look at each n-th program alone")
    options = parser.parse_args()
    drawn = programs()[:: options.every]
    if options.run:
        known = seen(drawn)
        store(known)
        print(*map(": ".join, _counted(known.values())), sep="\n")
        return 0
    truths = stored()
    if options.show:
        (program,) = (each for each in programs() if each.key.startswith(options.show))
        (one,) = judge([program], truths)
        print(program.text(), f"# {one.truth}: {one.verdict}", *one.findings, sep="\n")
        return 0
    judged = judge(drawn, truths)
    wrong = [each for each in judged if each.verdict in {Verdict.SILENT, Verdict.UNANNOUNCED}]
    if options.list:
        wrong += [each for each in judged if each.verdict is Verdict.NEEDLESS]
        for each in wrong:
            print(f"{each.program.key} {each.verdict.name}: {each.program.name}")
            print(*(f"    {finding}" for finding in each.findings), sep="\n")
    else:
        replace_marked(PAGE, "scripts/bed.py", page_text(judged))
    for line in _counted(each.verdict for each in judged):
        print(": ".join(line))
    return int(any(each.verdict is Verdict.SILENT for each in judged))


def page_text(judged: Sequence[Judged]) -> str:
    """The tables of docs/silence.md."""
    from tests.bed.verdicts import Verdict

    by_verdict = collections.Counter(each.verdict for each in judged)
    table = markdown_table(("verdict", "#programs"), ((v, by_verdict[v]) for v in Verdict))
    parts = [f"{len(judged)} programs.", table]
    for verdict in (Verdict.SILENT, Verdict.UNANNOUNCED, Verdict.NEEDLESS):
        of_it = [each for each in judged if each.verdict is verdict]
        parts += [f"## {verdict.name.capitalize()}: {verdict}", _forms(of_it), _programs(of_it)]
    return "\n\n".join(parts)


def _forms(judged: Sequence[Judged]) -> str:
    """The forms that most of the programs share."""
    found = collections.Counter(
        form for each in judged for form in each.program.name.split("; ")
    ).most_common(_SHOWN)
    return markdown_table(("form", "#programs"), found) if found else "None."


def _programs(judged: Sequence[Judged]) -> str:
    lines = [f"- `{each.program.key}`: {each.program.name}" for each in judged[:_SHOWN]]
    more = len(judged) - len(lines)
    return "\n".join([*lines, f"- and {more} more"] if more > 0 else lines)


def _counted(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    for value, count in collections.Counter(values).most_common():
        yield value, str(count)


_SHOWN = 12

if __name__ == "__main__":
    sys.exit(main())
