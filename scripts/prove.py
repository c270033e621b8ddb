"""Shows on real projects that migrated code works under the flipped defaults as it did before.

    python scripts/prove.py --source datarax=DIR --source artifex=DIR ...   # rewrites docs/proof.md
    python scripts/prove.py --only nnx_basics performance                  # prints, writes no page

Every project is run four times: as it is under today's defaults and under the flipped ones
(NNX_GRAPH_MODE=false NNX_GRAPH_UPDATES=false), and, migrated by `nnx-migrate apply`, under both
again. It is *restored* when all that worked at first works in both runs of the migrated copy: every
test that passed; every script, to its end, printing the same and leaving the same models behind.
What is not to be had here is skipped, by name. Exit status: 0 everything required is restored or
skipped, 1 not, 2 usage.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from marked_text import markdown_table, replace_marked
from migration_tool import ToolFailed, installed_tool
from pinned_sources import FLAX_BEFORE_TREE_MODE, NotToBeHad, unpacked
from proof_projects import GUIDES, TEST_SUITES
from proof_runs import SetUpFailed
from proofs import Bench, Proof, prove_guide, prove_suite

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "proof.md"
CACHE = ROOT / ".cache" / "sources"
WORK = Path(tempfile.gettempdir()) / "nnx-migrate-proof"
HEADER = (
    "project",
    "as it is, default",
    "as it is, flipped",
    "#rewritten",
    "#pinned",
    "#manual",
    "migrated, default",
    "migrated, flipped",
    "restored",
)


def proofs(
    names: Sequence[str], sources: Mapping[str, Path], bench: Bench
) -> Iterator[Proof | str]:
    """Yield each project's proof, or why it is skipped.

    Args:
        names: the projects to run, all of them known.
        sources: folders of projects that the package index cannot give.

    Raises:
        ToolFailed: `nnx-migrate` crashed.
        DownloadFailed: an archive is not what was pinned.
    """
    for suite in TEST_SUITES:
        if suite.name not in names:
            continue
        if suite.pin is None and suite.name not in sources:
            yield f"{suite.name}: {suite.why_a_source}; give --source {suite.name}=DIR"
            continue
        try:
            source = unpacked(suite.pin, CACHE) if suite.pin else sources[suite.name]
            yield prove_suite(suite, source, bench)
        except (NotToBeHad, SetUpFailed) as error:
            yield f"{suite.name}: {error}"
    for guide in GUIDES:
        if guide.name not in names:
            continue
        if guide.project and guide.project not in sources:
            yield f"{guide.name}: no sdist has it; give --source {guide.project}=DIR"
            continue
        try:
            flax = None if guide.project else unpacked(FLAX_BEFORE_TREE_MODE, CACHE)
            yield prove_guide(guide, flax or sources[guide.project], bench)
        except (NotToBeHad, SetUpFailed) as error:
            yield f"{guide.name}: {error}"


def page_text(made: Sequence[Proof], skipped: Sequence[str]) -> str:
    """Return the tables of docs/proof.md."""
    required = markdown_table(HEADER, (proof.row() for proof in made if proof.required))
    parts = [required]
    watched = [proof.row() for proof in made if not proof.required]
    if watched:
        parts += ["## Not yet promised", markdown_table(HEADER, watched)]
    lost = [f"- {proof.name}: {line}" for proof in made for line in proof.lost]
    parts += ["## What does not work as before", "\n".join(lost) or "Nothing."]
    parts += ["## Skipped", "\n".join(f"- {line}" for line in skipped) or "Nothing."]
    return "\n\n".join(parts)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    known = [suite.name for suite in TEST_SUITES] + [guide.name for guide in GUIDES]
    parser.add_argument("--source", action="append", default=[], metavar="NAME=DIR")
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=known, default=None)
    parser.add_argument("--work", type=Path, default=WORK, help="for environments and copies")
    parser.add_argument("--timeout", type=float, default=900, help="seconds for one run")
    arguments = parser.parse_args()
    arguments.work = arguments.work.resolve()
    if arguments.work.is_relative_to(ROOT.resolve()):
        parser.error(f"--work {arguments.work} lies in the repository")
    arguments.names = arguments.only or known
    arguments.sources = {}
    wanted = {suite.name: list(suite.tests) for suite in TEST_SUITES if suite.pin is None}
    for guide in GUIDES:
        if guide.project:
            wanted.setdefault(guide.project, []).append(guide.document)
    for given in arguments.source:
        name, _, folder = given.partition("=")
        if name not in wanted:
            parser.error(f"--source {given}: no such project; known: {', '.join(wanted)}")
        for path in wanted[name]:
            if not any(Path(folder).glob(path)):
                parser.error(f"--source {given}: there is no {path} in it")
        arguments.sources[name] = Path(folder)
    return arguments


def main() -> int:
    """Run the projects and write the page."""
    arguments = _arguments()
    arguments.work.mkdir(parents=True, exist_ok=True)
    made: list[Proof] = []
    skipped: list[str] = []
    try:
        bench = Bench(installed_tool(), arguments.work, arguments.timeout)
        for result in proofs(arguments.names, arguments.sources, bench):
            if isinstance(result, str):
                skipped.append(result)
                print(f"skipped: {result}", file=sys.stderr, flush=True)
            else:
                made.append(result)
                print(*result.row(), sep=" | ", flush=True)
                for line in result.lost:
                    print(f"  {line}", file=sys.stderr, flush=True)
    except ToolFailed as error:
        print(error, file=sys.stderr)
        return 1
    if arguments.only:
        print("docs/proof.md is left as it was", file=sys.stderr)
    else:
        replace_marked(PAGE, "scripts/prove.py", page_text(made, skipped))
    return int(any(proof.required and proof.lost for proof in made))


if __name__ == "__main__":
    sys.exit(main())
