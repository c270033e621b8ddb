"""The findings that a project knows of: a file in its repository, by which new ones are told."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from nnx_migrate.report.baseline.document import BaselineDocument, KnownFinding
from nnx_migrate.report.baseline.fingerprints import Fingerprints
from nnx_migrate.report.levels import Report, shown_path, told
from nnx_migrate.report.text import printable

_VERSION = 1


class BadBaseline(ValueError):
    """A file is no baseline; the text says why."""


#: A finding of a run: its file, and its place in that file's findings.
Key = tuple[Path, int | None]


def fingerprints_of(report: Report) -> dict[Key, str]:
    """The names of all findings of a run."""
    fingerprints = Fingerprints()
    return {
        (item.result.path, item.place): fingerprints.of(item.result.path, item.finding)
        for item in told(report)
    }


def render_baseline(report: Report) -> str:
    """Return the baseline that knows all findings of a run."""
    fingerprints = Fingerprints()
    findings = [
        KnownFinding(
            path=printable(shown_path(item.result.path, report.root)),
            rule=item.finding.rule,
            fingerprint=fingerprints.of(item.result.path, item.finding),
        )
        for item in told(report)
    ]
    return json.dumps(msgspec.to_builtins(BaselineDocument(findings)), indent=1) + "\n"


def read_baseline(data: bytes) -> frozenset[str]:
    """The fingerprints in a baseline.

    Raises:
        BadBaseline: it is none.
    """
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadBaseline(f"it is not JSON: {error}") from None
    if not isinstance(document, dict) or document.get("schema_version") != _VERSION:
        raise BadBaseline(f"it is not a baseline of nnx-migrate, version {_VERSION}")
    try:
        return frozenset(str(entry["fingerprint"]) for entry in document["findings"])
    except (KeyError, TypeError):
        raise BadBaseline("its findings are not a list of texts") from None
