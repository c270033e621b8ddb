"""Measures nnx-migrate on real projects beside what other tools take for the same files.

    python -m benchmarks.projects [FOLDER ...] [--repetitions 3] [--note TEXT] [--no-page]

Each folder is a project, a checkout or an unpacked sdist, whose files import each other; without
one ten pinned sdists from the package index are taken. A copy of each is measured: all cases run in
turn as whole processes, and the table in docs/performance.md has the ratios of their CPU seconds,
which hold on other machines too. The others are Python's parser, LibCST's parser with its emitter,
LibCST's codemod runner with a command that visits and changes nothing, and ruff.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from benchmarks.measure import ROOT, Case, Sample, interleaved, nnx_migrate_command, python_command
from benchmarks.noop_codemod import NoopCommand
from benchmarks.parsing import sources
from benchmarks.report import between_markers

PAGE = ROOT / "docs" / "performance.md"
BEGIN = "<!-- measured by benchmarks/projects.py: begin -->"
END = "<!-- measured by benchmarks/projects.py: end -->"
_DONE = frozenset({0, 1})
_OURS, _TREES, _SYNTAX = "apply --dry-run --jobs 1", "libcst", "ast"
_AGAIN, _RUNNER, _RUFF = "again", "LibCST's runner", "ruff"
#: So many of the packages that the project tests itself on, in the order of their list.
_PINNED = 10


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
    found = []
    for folder in options.folders or pinned(options.cache):
        with tempfile.TemporaryDirectory() as scratch:
            copy = Path(scratch, folder.resolve().name)
            shutil.copytree(folder, copy, symlinks=True, ignore=shutil.ignore_patterns(".git"))
            found.append(measure(copy, options.repetitions))
    section = table(found, options.repetitions, options.note)
    print(section)
    if not options.no_page:
        text = PAGE.read_text(encoding="utf-8")
        PAGE.write_text(between_markers(text, (BEGIN, END), section), encoding="utf-8")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", type=Path, nargs="*")
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--note", default="", help="what a reader has to know of the machine")
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir(), "nnx-projects"))
    parser.add_argument("--no-page", action="store_true", help="do not write docs/performance.md")
    return parser


def pinned(cache: Path) -> Iterator[Path]:
    """The unpacked archives of the projects that are pinned.

    Args:
        cache: keeps them between runs.
    """
    sys.path.append(str(ROOT / "scripts"))
    from pinned_sources import USERS, unpacked

    return (unpacked(pin, cache) for pin in USERS[:_PINNED])


def measure(folder: Path, repetitions: int) -> Measured:
    """Runs all cases on a copy of a project, in turn."""
    texts = [path.read_bytes() for path in sources(folder)]
    ours = nnx_migrate_command(*_OURS.split(), folder)
    codemod = f"{NoopCommand.__module__}.{NoopCommand.__name__}"
    runner = ("codemod", "-x", codemod, "--no-format", "--hide-progress", "-j", "1", folder)
    ruff = ("check", "--isolated", "--no-cache", "--exit-zero", "--quiet", folder)
    kept = folder.parent / "kept"
    cases = [
        Case(_SYNTAX, python_command("-m", "benchmarks.parsing", _SYNTAX, folder), ROOT),
        Case(_RUFF, python_command("-m", "ruff", *ruff), ROOT),
        Case(_OURS, ours, folder, _DONE),
        # The first of them, which does not count, keeps what the others look up.
        Case(_AGAIN, ["env", f"NNX_MIGRATE_CACHE={kept}", *ours], folder, _DONE),
        Case(_TREES, python_command("-m", "benchmarks.parsing", _TREES, folder), ROOT),
        Case(_RUNNER, python_command("-m", "libcst.tool", *runner), ROOT, _DONE),
    ]
    return Measured(
        folder.name,
        len(texts),
        sum(b"nnx" in text for text in texts),
        sum(text.count(b"\n") for text in texts),
        interleaved(cases, repetitions, lambda line: print(f"{folder.name}: {line}")),
    )


def table(found: Sequence[Measured], repetitions: int, note: str = "") -> str:
    """The table of all projects.

    Args:
        found: the projects.
        repetitions: how often each case ran.
        note: what a reader has to know of the machine.
    """
    versions = ", ".join(f"{n} {importlib.metadata.version(n)}" for n in ("libcst", "ruff"))
    told = (
        f"Python {platform.python_version()}, {versions}; CPU of whole processes, "
        f"medians of {repetitions} runs, all cases of a project in turn."
    )
    lines = [
        f"{told} {note}".rstrip(),
        "",
        f"| project | files, lines | with nnx | `{_OURS}` | against `ast.parse` of all files "
        "| against LibCST's parse and emit of all files | against LibCST's runner | against ruff "
        "| a second run | peak memory |",
        "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    for each in found:
        ours = each.samples[_OURS]
        lines.append(
            f"| {each.name} | {each.files:,}, {each.lines:,} | {each.with_nnx} | {ours.cpu:.1f} s "
            f"| {each.against(_SYNTAX):.1f}x | {each.against(_TREES):.2f}x "
            f"| {each.against(_RUNNER):.2f}x | {each.against(_RUFF):.1f}x "
            f"| {each.samples[_AGAIN].cpu:.1f} s | {ours.peak / 1024:.0f} MB |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
