"""Turns the measurements into a table of budgets, and puts it into the documentation."""

from __future__ import annotations

import dataclasses
import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path

from benchmarks.measure import Sample

BEGIN = "<!-- measured by benchmarks/run.py: begin -->"
END = "<!-- measured by benchmarks/run.py: end -->"
_MEGABYTE = 1024


@dataclasses.dataclass(frozen=True, slots=True)
class Figures:
    """Everything one run measured.

    Args:
        samples: medians by the name of the case.
        trees: files, nnx files and bytes of each tree.
        per_file: for "planned" and "rewritten" how many files, their median "ms" and "lines".
        repetitions: how many counted runs the medians are of.
        long_repeats: the same for the runs that may take minutes.
    """

    samples: Mapping[str, Sample]
    trees: Mapping[str, Mapping[str, int]]
    per_file: Mapping[str, Mapping[str, float]]
    repetitions: int
    long_repeats: int


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One line of the table; passed is None where there is no budget."""

    work: str
    result: str
    budget: str
    passed: bool | None

    @property
    def verdict(self) -> str:
        """How it is shown."""
        return {True: "ok", False: "FAIL", None: ""}[self.passed]


def rows(figures: Figures) -> list[Row]:
    """The table: each budget, what was measured, and whether it was met."""
    return [
        *_whole_trees(figures),
        *_single_files(figures),
        *_against_libcst(figures),
        *_growth_and_memory(figures),
        *_starting(figures),
    ]


def update_page(page: Path, figures: Figures) -> None:
    """Replaces what is between the markers of a page.

    Raises:
        OSError: the page cannot be read or written.
        ValueError: it has no markers.
    """
    text = page.read_text(encoding="utf-8")
    page.write_text(between_markers(text, (BEGIN, END), _section(figures)), encoding="utf-8")


def between_markers(text: str, markers: tuple[str, str], new: str) -> str:
    """The text with something else between two markers.

    Raises:
        ValueError: it has no markers.
    """
    before, begin, rest = text.partition(markers[0])
    _, end, after = rest.partition(markers[1])
    if not (begin and end):
        raise ValueError(f"there is no {markers[0]} with an end")
    return f"{before}{begin}\n\n{new}\n{end}{after}"


def _whole_trees(figures: Figures) -> list[Row]:
    plain, grep = figures.samples["plain"], figures.samples["grep plain"]
    usual = figures.samples["plain, all processors"]
    mixed, grep_mixed = figures.samples["mixed"], figures.samples["grep mixed"]
    rate = figures.trees["plain"]["files"] / plain.cpu
    ratio = usual.wall / grep.wall
    return [
        Row(
            "tree without nnx, one core, start included",
            f"{rate:,.0f} files per CPU second",
            "at least 30,000",
            rate >= 30_000,
        ),
        Row(
            "tree without nnx against `grep -rl nnx`, wall, all processors",
            f"{ratio:.2f}x ({usual.wall:.2f} s to {grep.wall:.2f} s)",
            "at most 1.5x",
            ratio <= 1.5,
        ),
        Row(
            "the same with `--jobs 1`",
            f"{plain.wall / grep.wall:.2f}x ({plain.wall:.2f} s)",
            "",
            None,
        ),
        Row(
            "tree with 2% nnx against `grep -rl nnx`, wall",
            f"{mixed.wall / grep_mixed.wall:.1f}x ({mixed.wall:.2f} s)",
            "",
            None,
        ),
    ]


def _single_files(figures: Figures) -> list[Row]:
    found = []
    for name, budget in (("planned", 10), ("rewritten", 120)):
        median = figures.per_file[name]
        spent = f"{median['ms']:.1f} ms" if median["files"] else "no such file in the corpus"
        found.append(
            Row(
                f"one file {name}, CPU, median of {median['files']} files "
                f"(of {median['lines']:.0f} lines)",
                spent,
                f"at most {budget} ms",
                median["ms"] <= budget if median["files"] else None,
            )
        )
    return found


def _against_libcst(figures: Figures) -> list[Row]:
    ours = figures.samples["mixed"].cpu
    start = figures.samples["libcst, one file"].cpu
    tree, part = figures.trees["mixed"], figures.trees["fiftieth"]
    found = []
    for name, budget in (("parse only", "at least 40x less"), ("visit", "")):
        sample = figures.samples[f"libcst, {name}"].cpu - start
        theirs = start + sample * tree["bytes"] / part["bytes"]
        found.append(
            Row(
                f"{tree['files']:,} files, 2% nnx, against LibCST's runner ({name}), CPU",
                f"{theirs / ours:.0f}x less ({ours:.1f} s to {theirs:.0f} s)",
                budget,
                theirs / ours >= 40 if budget else None,
            )
        )
    return found


def _growth_and_memory(figures: Figures) -> list[Row]:
    start, small, grown = (figures.samples[name] for name in ("one file", "small", "grown"))
    mixed, parallel = figures.samples["mixed"], figures.samples["mixed, 2 jobs"]
    growth = (grown.cpu - start.cpu) / (small.cpu - start.cpu)
    worker = max(mixed.peak, parallel.peak)
    return [
        Row(
            f"ten copies of a tree of {figures.trees['small']['files']:,} files, CPU, "
            "start not counted",
            f"{growth:.1f}x ({small.cpu:.1f} s to {grown.cpu:.1f} s)",
            "at most 11x",
            growth <= 11,
        ),
        Row(
            "peak memory of the largest process",
            f"{worker / _MEGABYTE:.0f} MB",
            "at most 250 MB",
            worker <= 250 * _MEGABYTE,
        ),
        Row(
            "peak memory with ten copies of a tree",
            f"{grown.peak / small.peak:.2f}x ({small.peak / _MEGABYTE:.0f} MB to "
            f"{grown.peak / _MEGABYTE:.0f} MB)",
            "",
            None,
        ),
        Row(
            "two jobs against one, 2% nnx, wall",
            f"{mixed.wall / parallel.wall:.2f}x faster",
            "",
            None,
        ),
    ]


def _starting(figures: Figures) -> list[Row]:
    shown, bare = figures.samples["help"], figures.samples["python"]
    return [
        Row(
            "`--help`, wall",
            f"{1000 * shown.wall:.0f} ms ({shown.wall / bare.wall:.1f}x of `python -c pass`)",
            "at most 150 ms",
            shown.wall <= 0.150,
        )
    ]


def _section(figures: Figures) -> str:
    tree = figures.trees["mixed"]
    lines = [
        f"{tree['files']:,} files of {tree['bytes'] / 1e6:.0f} MB, "
        f"{tree['nnx']:,} of which use NNX; "
        f"Python {platform.python_version()}, libcst {importlib.metadata.version('libcst')}, "
        f"{os.cpu_count()} cores. Medians of {figures.repetitions} runs "
        f"({figures.long_repeats} of the whole tree with nnx and of LibCST's runner), "
        "warm, all cases in turn.",
        "",
        "| work | measured | budget | |",
        "|---|---|---|---|",
    ]
    lines += [f"| {r.work} | {r.result} | {r.budget} | {r.verdict} |" for r in rows(figures)]
    return "\n".join(lines) + "\n"
