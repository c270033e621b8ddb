"""The report that programs read: one JSON object; its version changes when its shape does."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable, Mapping
from typing import Any

import nnx_migrate
from nnx_migrate.outcomes import FileResult, Finding, Outcome
from nnx_migrate.totals import Totals

SCHEMA_VERSION = 1


def render_json(results: Iterable[FileResult], totals: Totals, *, written: bool) -> str:
    """Return the report of a run as one JSON object.

    Args:
        results: every file of the run.
        totals: what they add up to.
        written: the files were changed; otherwise they would be.
    """
    report = {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "nnx-migrate", "version": nnx_migrate.__version__},
        "written": written,
        "summary": {
            "looked_at": totals.looked_at,
            "work_left": totals.work_left,
            "files": {str(status): number for status, number in totals.files.items()},
            "outcomes": _outcomes(totals.outcomes),
            "rules": {rule: _outcomes(outcomes) for rule, outcomes in totals.rules.items()},
        },
        "files": [_file(result) for result in results],
    }
    return json.dumps(report, indent=1) + "\n"


def _file(result: FileResult) -> dict[str, Any]:
    return {
        "path": str(result.path),
        "status": str(result.status),
        "reason": result.reason,
        "findings": [_finding(finding) for finding in result.findings],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    entry = dataclasses.asdict(finding)
    if finding.in_cell is None:  # only in notebooks
        del entry["in_cell"]
    return entry


def _outcomes(outcomes: Mapping[Outcome, int]) -> dict[str, int]:
    return {str(outcome): outcomes.get(outcome, 0) for outcome in Outcome}
