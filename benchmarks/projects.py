"""Measures nnx-migrate on real projects beside what other tools take for the same files.

    python -m benchmarks.projects [FOLDER ...] [--repetitions 3] [--note TEXT] [--no-page]

Each folder is a project, a checkout or an unpacked sdist, whose files import each other; without
one ten pinned sdists from the package index are taken. A copy of each is measured: all cases run in
turn as whole processes, and the table in docs/performance.md has the ratios of their CPU seconds,
which hold on other machines too. The others are Python's parser, LibCST's parser with its emitter,
LibCST's codemod runner with a command that visits and changes nothing, and ruff.

All of it is to take minutes: a run of more than half a minute of CPU counts the first time and is
not done again, and LibCST's runner, the dearest of them, gets some of the files of a large project:
each third of them, say. The rest is counted by lines, without what it takes to start. The table
says for which projects.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib.metadata
import math
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
_STARTED = "LibCST's runner on an empty file"
#: So many of the packages that the project tests itself on, in the order of their list.
_PINNED = 10
#: What takes more CPU seconds is run once.
_LONG = 30.0
#: LibCST's runner gets files of so many lines, or little more.
_MOST_LINES = 10_000


@dataclasses.dataclass(frozen=True, slots=True)
class Measured:
    """One project.

    Args:
        name: of its folder.
        files: how many Python files it has.
        with_nnx: how many of them say `nnx`.
        lines: of all of them.
        samples: medians by the name of the case.
        run_files: how many of the files LibCST's runner got.
        run_lines: the lines of these.
    """

    name: str
    files: int
    with_nnx: int
    lines: int
    samples: Mapping[str, Sample]
    run_files: int
    run_lines: int

    def against(self, other: str) -> float:
        """The ratio of CPU seconds to those of another case."""
        return self.samples[_OURS].cpu / self.samples[other].cpu

    def against_runner(self) -> str:
        """The ratio to LibCST's runner, and of how many files, where it got some of them."""
        start, taken = self.samples[_STARTED].cpu, self.samples[_RUNNER].cpu
        if self.run_files == self.files:
            return f"{self.against(_RUNNER):.2f}x"
        whole = start + max(taken - start, 0.0) * self.lines / self.run_lines
        return f"~{self.samples[_OURS].cpu / whole:.2f}x ({self.run_files} files)"


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
    runner = ("codemod", "-x", codemod, "--no-format", "--hide-progress", "-j", "1")
    ruff = ("check", "--isolated", "--no-cache", "--exit-zero", "--quiet", folder)
    kept = folder.parent / "kept"
    some = sampled(folder, folder.parent / "some", _MOST_LINES)
    empty = folder.parent / "empty"
    empty.mkdir()
    (empty / "empty.py").touch()
    cases = [
        Case(_SYNTAX, python_command("-m", "benchmarks.parsing", _SYNTAX, folder), ROOT),
        Case(_RUFF, python_command("-m", "ruff", *ruff), ROOT),
        Case(_OURS, ours, folder, _DONE),
        # The first of them, which does not count, keeps what the others look up.
        Case(_AGAIN, ["env", f"NNX_MIGRATE_CACHE={kept}", *ours], folder, _DONE, prepares=True),
        Case(_TREES, python_command("-m", "benchmarks.parsing", _TREES, folder), ROOT),
        Case(_STARTED, python_command("-m", "libcst.tool", *runner, empty), ROOT, _DONE),
        Case(_RUNNER, python_command("-m", "libcst.tool", *runner, some), ROOT, _DONE),
    ]
    chosen = [path.read_bytes() for path in sources(some)]
    return Measured(
        folder.name,
        len(texts),
        sum(b"nnx" in text for text in texts),
        sum(text.count(b"\n") for text in texts),
        interleaved(cases, repetitions, lambda line: print(f"{folder.name}: {line}"), _LONG),
        len(chosen),
        sum(text.count(b"\n") for text in chosen),
    )


def sampled(folder: Path, to: Path, most: int) -> Path:
    """A folder with each nth file of a project, in the order of their paths, where it is large.

    Args:
        folder: the project.
        to: where they are copied to.
        most: of so many lines a project is taken whole; a larger one gives about as many.
    """
    paths = list(sources(folder))
    lines = sum(path.read_bytes().count(b"\n") for path in paths)
    if lines <= most:
        return folder
    for path in paths[:: math.ceil(lines / most)]:
        copy = to / path.relative_to(folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, copy)
    return to


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
        f"medians of {repetitions} runs, all cases of a project in turn; one run of what takes "
        f"more than {_LONG:.0f} s. ~: LibCST's runner got so many of the files, each nth by their "
        f"paths; the rest is counted by lines."
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
            f"| {each.against_runner()} | {each.against(_RUFF):.1f}x "
            f"| {each.samples[_AGAIN].cpu:.1f} s | {ours.peak / 1024:.0f} MB |"
        )
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.exit(main())
