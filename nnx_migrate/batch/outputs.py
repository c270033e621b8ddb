"""The results of a batch run in its folder: each is whole, or that of the run before."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nnx_migrate.batch.summary import History, render_summary
from nnx_migrate.engine import RunResult
from nnx_migrate.report.formats import render
from nnx_migrate.report.html.writing import write as write_page
from nnx_migrate.report.patch_folder import strangers_in, write_patches
from nnx_migrate.report.splitting import SplitBy
from nnx_migrate.report.told import Report

PATCHES, PAGE, FINDINGS = "patches", "review", "findings.jsonl"
_BUILDING = ".building"


def strangers(out: Path) -> list[str]:
    """What somebody has put where the next results go, and would lose.

    Args:
        out: the folder of the run.

    Raises:
        OSError: the folder cannot be read.
    """
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
    building = out / _BUILDING
    shutil.rmtree(building, ignore_errors=True)
    building.mkdir()
    write_patches(report, building / PATCHES, by)
    write_page(result, building / PAGE, written=report.written, check=report.check)
    for name in (PATCHES, PAGE):
        shutil.rmtree(out / name, ignore_errors=True)
        os.replace(building / name, out / name)
    building.rmdir()


def write_findings(report: Report, out: Path) -> None:
    """Write all findings, a line for each file."""
    _put(out / FINDINGS, render("jsonl", report))


def write_summary(summary: Mapping[str, Any], history: History, out: Path) -> None:
    """Write the summary, for people and for programs."""
    _put(out / "summary.md", render_summary(summary, history))
    document = {**summary, "history": [{"moment": m, **each} for m, each in history]}
    _put(out / "summary.json", json.dumps(document, indent=1) + "\n")


def _put(file: Path, text: str) -> None:
    new = file.with_name(f".{file.name}.new")
    new.write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    os.replace(new, file)
