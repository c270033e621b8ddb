"""Measures nnx-migrate on real projects beside what parsing all of their files costs.

    python -m benchmarks.projects FOLDER [FOLDER ...] [--repetitions 3] [--no-page]

Each folder is a project, a checkout or an unpacked sdist, whose files import each other. All cases
of a project run in turn as whole processes, and the table in docs/performance.md has the ratios of
their CPU seconds, which hold on other machines too.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import platform
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.measure import ROOT, Case, Sample, interleaved, nnx_migrate_command, python_command
from benchmarks.parsing import sources
from benchmarks.report import between_markers

PAGE = ROOT / "docs" / "performance.md"
BEGIN = "<!-- measured by benchmarks/projects.py: begin -->"
END = "<!-- measured by benchmarks/projects.py: end -->"
_DONE = frozenset({0, 1})
_OURS, _TREES, _SYNTAX = "apply --dry-run --jobs 1", "libcst", "ast"


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """One project.

    Args:
        name: of its folder.
        files: how many Python files it has.
        with_nnx: how many of them say `nnx`.
        lines: of all of them.
        samples: medians by the name of the case.
    """

    name: str
    files: int
    with_nnx: int
    lines: int
    samples: Mapping[str, Sample]

    def against(self, other: str) -> float:
        """The ratio of CPU seconds to those of another case."""
        return self.samples[_OURS].cpu / self.samples[other].cpu


def main(arguments: Sequence[str] | None = None) -> int:
    """Measures each project, prints the table and writes it into the page."""
    options = _parser().parse_args(arguments)
    found = [measure(folder.resolve(), options.repetitions) for folder in options.folders]
    section = table(found, options.repetitions)
    print(section)
    if not options.no_page:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(between_markers(text, (BEGIN, END), section), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--no-page", action="store_true", help="do not write docs/performance.md")
    return parser


def measure(folder: Path, repetitions: int) -> Measured:
    """Runs all cases on a project, in turn."""
    texts = [path.read_bytes() for path in sources(folder)]
    cases = [
        Case(_SYNTAX, python_command("-m", "benchmarks.parsing", _SYNTAX, folder), ROOT),
        Case(_OURS, nnx_migrate_command(*_OURS.split(), folder), folder, _DONE),
        Case(_TREES, python_command("-m", "benchmarks.parsing", _TREES, folder), ROOT),
    ]
    return Measured(
        folder.name,
        len(texts),
        sum(b"nnx" in text for text in texts),
        sum(text.count(b"\n") for text in texts),
        interleaved(cases, repetitions, lambda line: print(f"{folder.name}: {line}")),
    )


def table(found: Sequence[Measured], repetitions: int) -> str:
    """The table of all projects."""
    lines = [
        f"Python {platform.python_version()}, libcst {importlib.metadata.version('libcst')}; "
        f"CPU of whole processes, medians of {repetitions} runs, all cases of a project in turn.",
        "",
        "| project | files, lines | with nnx | `apply --dry-run --jobs 1` | against `ast.parse` of "
        "all files | against LibCST's parse and emit of all files | peak memory |",
        "|---|---|--:|--:|--:|--:|--:|",
    ]
    for each in found:
        ours = each.samples[_OURS]
        lines.append(
            f"| {each.name} | {each.files:,}, {each.lines:,} | {each.with_nnx} | {ours.cpu:.1f} s "
            f"| {each.against(_SYNTAX):.1f}x | {each.against(_TREES):.2f}x "
            f"| {ours.peak / 1024:.0f} MB |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
