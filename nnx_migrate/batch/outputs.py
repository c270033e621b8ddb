"""The results of a batch run in its folder: each is whole, or that of the run before."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nnx_migrate.batch.summary import History, render_summary
from nnx_migrate.core.totals import RunResult
from nnx_migrate.report.formats import render
from nnx_migrate.report.html.writing import write as write_page
from nnx_migrate.report.levels import Report
from nnx_migrate.report.patches.folder import strangers_in, write_patches
from nnx_migrate.report.patches.split_by import SplitBy
from nnx_migrate.sources.own_folder import OwnFolder

PATCHES, PAGE, FINDINGS, SHARDS = "patches", "review", "findings.jsonl", "shards"
_BUILDING = ".building"


def strangers(out: Path, trees: Iterable[Path]) -> list[str]:
    """What somebody has put where the next results go, and would lose.

    Args:
        out: the folder of the run.
        trees: what the run is over: it may bring links.

    Raises:
        LinkInTheWay: a link lies where results go.
        OSError: the folder cannot be read.
    """
    for name in (".", PATCHES, PAGE, SHARDS):
        if name == "." or os.path.lexists(out / name):
            with OwnFolder(out / name, trees) as folder:
                folder.require_no_links()
                folder.remove_unfinished()
    page = out / PAGE
    beside = {path.name for path in page.iterdir()} - {"index.html"} if page.is_dir() else set()
    return [
        *(f"{PATCHES}/{name}" for name in strangers_in(out / PATCHES)),
        *(f"{PAGE}/{name}" for name in sorted(beside)),
    ]


def write_review(result: RunResult, report: Report, out: Path, by: SplitBy) -> None:
    """Write what is looked at before files are changed: patches and the page.

    Args:
        result: the run.
        report: the same, told.
        out: the folder of the run.
        by: what goes into one patch.

    Raises:
        ConfigError: owners are not known.
        OSError: the folder cannot be written.
    """
    with OwnFolder(out, [report.root]) as own:
        own.remove_tree(_BUILDING)
        with OwnFolder(out / _BUILDING, [report.root]) as building:
            write_patches(report, building.path / PATCHES, by)
            write_page(result, building.path / PAGE, written=report.written, check=report.check)
            for name in (PATCHES, PAGE):
                own.remove_tree(name)
                own.move_in(building, name)
        own.remove_tree(_BUILDING)


def write_findings(report: Report, out: Path) -> None:
    """Write all findings, a line for each file."""
    _put(out / FINDINGS, render("jsonl", report))


def write_summary(summary: Mapping[str, Any], history: History, out: Path) -> None:
    """Write the summary, for people and for programs."""
    _put(out / "summary.md", render_summary(summary, history))
    document = {**summary, "history": [{"moment": m, **each} for m, each in history]}
    _put(out / "summary.json", json.dumps(document, indent=1) + "\n")


def _put(file: Path, text: str) -> None:
    with OwnFolder(file.parent) as folder:
        folder.put(file.name, text.encode(errors="backslashreplace"))
