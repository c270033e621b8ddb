"""GitLab's code quality report: a list of findings in the form of Code Climate."""

from __future__ import annotations

import json

from nnx_migrate.report.baseline.fingerprints import Fingerprints
from nnx_migrate.report.levels import Level, Report, shown_path, told
from nnx_migrate.report.text import printable
from nnx_migrate.report.ways_out import with_help

_SEVERITIES = {Level.ERROR: "major", Level.WARNING: "minor", Level.NOTE: "info"}


def render_gitlab(report: Report) -> str:
    """Return the findings of a run as the JSON artifact `codequality` of GitLab CI."""
    fingerprints = Fingerprints()
    issues = []
    for item in told(report):
        name = shown_path(item.result.path, report.root)
        issues.append(
            {
                "description": printable(with_help(item.finding, "; ")),
                "check_name": item.finding.rule,
                "fingerprint": fingerprints.of(item.result.path, item.finding),
                "severity": _SEVERITIES[item.level],
                "location": {
                    "path": printable(name),
                    "lines": {"begin": max(item.finding.line, 1)},
                },
            }
        )
    return json.dumps(issues, indent=1) + "\n"
