"""Measures nnx-migrate against its budgets and writes the table into docs/performance.md.

    python -m benchmarks.run [--files 20000] [--repetitions 5] [--nnx-from PATH ...]

Everything is measured in one run, in turns, as whole processes. Projects that use NNX are folders
or sdists (`pip download --no-deps --no-binary :all: flax==0.12.8` gets one); without any, the
installed flax is used several times.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.measure import ROOT, Case, interleaved, nnx_migrate_command, python_command
from benchmarks.noop_codemod import NoopCommand, ParseOnlyCommand
from benchmarks.report import Figures, rows, update_page

PAGE = ROOT / "docs" / "performance.md"
_DONE = frozenset({0, 1})


def main(arguments: Sequence[str] | None = None) -> int:
    """Builds the trees, measures, writes the page; 1 when a budget is not met."""
    options = _parser().parse_args(arguments)
    folder: Path = options.corpus
    trees = _build_trees(folder, options.files, options.nnx_from)
    per_file = _per_file(folder / "mixed")
    measured = interleaved(
        _cases(folder, options.long_repeats), options.repetitions, lambda line: print(line)
    )
    figures = Figures(measured, trees, per_file, options.repetitions, options.long_repeats)
    table = rows(figures)
    for row in table:
        print(f"{row.verdict:4} {row.work}: {row.result} (budget: {row.budget})")
    if not options.no_page:
        update_page(PAGE, figures)
    return 0 if all(row.passed is not False for row in table) else 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    default = Path(tempfile.gettempdir()) / "nnx-migrate-benchmark"
    parser.add_argument("--corpus", type=Path, default=default, help="where the trees are kept")
    parser.add_argument("--files", type=int, default=20_000)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument(
        "--long-repeats", type=int, default=1, help="of the runs that may take minutes"
    )
    parser.add_argument("--nnx-from", type=Path, nargs="*", default=[])
    parser.add_argument("--no-page", action="store_true", help="do not write docs/performance.md")
    return parser


def _build_trees(folder: Path, files: int, nnx_from: Sequence[Path]) -> dict[str, dict[str, int]]:
    # In a process of its own, because a measured process never shows less memory than its parent.
    command = python_command("-m", "benchmarks.corpus", folder, "--files", str(files))
    if nnx_from:
        command += ["--nnx-from", *(str(path.resolve()) for path in nnx_from)]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    trees: dict[str, dict[str, int]] = json.loads(done.stdout)
    return trees


def _per_file(tree: Path) -> dict[str, dict[str, float]]:
    command = python_command("-W", "ignore", "-m", "benchmarks.per_file", tree)
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    medians: dict[str, dict[str, float]] = json.loads(done.stdout)
    return medians


def _apply(*arguments: str | Path) -> list[str]:
    return nnx_migrate_command("apply", "--dry-run", *arguments)


def _cases(folder: Path, long_repeats: int) -> list[Case]:
    def ours(name: str, tree: str, jobs: int | None = 1) -> Case:
        most = long_repeats if tree == "mixed" else 1_000
        command = _apply(*(["--jobs", str(jobs)] if jobs else []), tree)
        return Case(name, command, folder, _DONE, most, warmed=tree == "plain")

    def libcst(name: str, codemod: type, tree: str) -> Case:
        command = f"{codemod.__module__}.{codemod.__name__}"
        options = ("--no-format", "--hide-progress", "-j", "1")
        call = python_command("-m", "libcst.tool", "codemod", "-x", command, *options, ".")
        return Case(name, call, folder / tree, _DONE, long_repeats)

    return [
        Case("python", python_command("-c", "pass")),
        Case("help", nnx_migrate_command("--help")),
        ours("one file", "one"),
        Case("grep plain", ["grep", "-rl", "nnx", "plain"], folder, _DONE, warmed=True),
        ours("plain", "plain"),
        ours("plain, all processors", "plain", None),
        Case("grep mixed", ["grep", "-rl", "nnx", "mixed"], folder, _DONE, warmed=True),
        ours("mixed", "mixed"),
        ours("mixed, 2 jobs", "mixed", 2),
        ours("small", "small"),
        ours("grown", "grown"),
        libcst("libcst, one file", NoopCommand, "one"),
        libcst("libcst, parse only", ParseOnlyCommand, "fiftieth"),
        libcst("libcst, visit", NoopCommand, "fiftieth"),
    ]


if __name__ == "__main__":
    sys.exit(main())
