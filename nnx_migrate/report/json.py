"""The report that programs read; `report.schema.json` beside this file says what is in it.

The version in it changes when its shape does.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

import nnx_migrate
from nnx_migrate.core.findings import FileResult, Finding, Outcome
from nnx_migrate.core.totals import Totals
from nnx_migrate.report.levels import Report
from nnx_migrate.report.ways_out import ways_out

SCHEMA_VERSION = 2


def render_json(report: Report) -> str:
    """Return the report of a run as one JSON object."""
    document = {
        **_head(report),
        "summary": _summary(report.totals),
        "files": [_file(result) for result in report.results],
        "check": report.check,
    }
    return json.dumps(document, indent=1) + "\n"


def render_jsonl(report: Report) -> str:
    """Return the report of a run as one JSON object a line: head, files, check, summary."""
    return "".join(json.dumps(line) + "\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[dict[str, Any]]:
    yield {"type": "run", **_head(report)}
    for result in report.results:
        yield {"type": "file", **_file(result)}
    if report.check is not None:
        yield {"type": "check", **report.check}
    yield {"type": "summary", **_summary(report.totals)}


def _head(report: Report) -> dict[str, Any]:
    return {
        "schema_version": SCHEMA_VERSION,
        "tool": {"name": "nnx-migrate", "version": nnx_migrate.__version__},
        "written": report.written,
    }


def _summary(totals: Totals) -> dict[str, Any]:
    return {
        "looked_at": totals.looked_at,
        "work_left": totals.work_left,
        "files": {str(status): number for status, number in totals.files.items()},
        "outcomes": _outcomes(totals.outcomes),
        "rules": {rule: _outcomes(outcomes) for rule, outcomes in totals.rules.items()},
    }


def _file(result: FileResult) -> dict[str, Any]:
    changed = result.before != result.after
    return {
        "path": str(result.path),
        "status": str(result.status),
        "reason": result.reason,
        "sha256": {
            "before": hashlib.sha256(result.before).hexdigest(),
            "after": hashlib.sha256(result.after).hexdigest(),
        }
        if changed
        else None,
        "encoding": result.encoding if changed else None,
        "findings": [_finding(finding) for finding in result.findings],
        "edits": [
            {**dataclasses.asdict(edit), "rules": result.rules_of(edit)} for edit in result.edits
        ],
    }


def _finding(finding: Finding) -> dict[str, Any]:
    entry = dataclasses.asdict(finding)
    del entry["ways_out"]
    entry["help"] = ways_out(finding)
    entry["evidence"] = [
        {"claim": each.claim, "proof": each.proof, "where": str(each.where or "")}
        for each in finding.evidence
    ]
    if finding.in_cell is None:  # only in notebooks
        del entry["in_cell"]
    return entry


def _outcomes(outcomes: Mapping[Outcome, int]) -> dict[str, int]:
    return {str(outcome): outcomes.get(outcome, 0) for outcome in Outcome}
