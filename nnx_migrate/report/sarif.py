"""SARIF 2.1.0, with the edits as fixes, for code scanning and for editors.

https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html; sections are cited as SARIF 3.27.
"""

from __future__ import annotations

import importlib.metadata
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import nnx_migrate
from nnx_migrate.core.findings import Evidence, FileResult, FileStatus, SourceEdit
from nnx_migrate.core.place import Location
from nnx_migrate.report.baseline.fingerprints import Fingerprints
from nnx_migrate.report.human.frames import Sources
from nnx_migrate.report.levels import Report, Told, shown_path, told, uri_path
from nnx_migrate.report.manuals import rule_descriptor
from nnx_migrate.report.ways_out import with_help

_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_ROOT = "SRCROOT"
# What a reader of messages takes for a link to a place (SARIF 3.11.6).
_LINK = re.compile(r"\[(?=[^\]]*\]\()")


def render_sarif(report: Report) -> str:
    """Return the findings of a run as a SARIF log.

    Every edit is in exactly one fix, that of the first finding of its unit, so that making each fix
    once gives what `apply` writes. Files that were written have no fixes left.
    """
    items = list(told(report))
    rules = sorted({item.finding.rule for item in items})
    run = {
        "tool": {
            "driver": {
                "name": "nnx-migrate",
                "semanticVersion": nnx_migrate.__version__,
                **_home(),
                "rules": [rule_descriptor(rule) for rule in rules],
            }
        },
        "automationDetails": {"id": "nnx-migrate/"},
        "originalUriBaseIds": {
            _ROOT: {"description": {"text": "The repository, or the folder of the run."}}
        },
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "defaultEncoding": "UTF-8",
        "defaultSourceLanguage": "python",
        "invocations": [{"executionSuccessful": not _failed(report.results)}],
        "artifacts": list(_artifacts(report)),
        "results": list(_results(items, rules, report)),
    }
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1) + "\n"


def _home() -> dict[str, str]:
    """The address of the tool (SARIF 3.19.17): the one that pyproject.toml gives, if any."""
    try:
        addresses = importlib.metadata.metadata("nnx-migrate").get_all("Project-URL", [])
    except importlib.metadata.PackageNotFoundError:
        return {}
    for each in addresses:
        name, _, address = each.partition(", ")
        if name == "Homepage":
            return {"informationUri": address}
    return {}


def _failed(results: Iterable[FileResult]) -> bool:
    return any(result.status is FileStatus.FAILED for result in results)


def _artifacts(report: Report) -> Iterator[dict[str, Any]]:
    """Only files whose edits are told have to say how they are stored."""
    for result in report.results:
        if result.edits:
            location = _artifact(shown_path(result.path, report.root))
            yield {"location": location, "encoding": result.encoding.upper()}


def _results(items: list[Told], rules: list[str], report: Report) -> Iterator[dict[str, Any]]:
    fingerprints, sources = Fingerprints(), Sources()
    leaders: dict[tuple[int, int], int] = {}
    for number, item in enumerate(items):
        name = shown_path(item.result.path, report.root)
        width = len(sources.name(item.result, item.finding))
        location = _place(name, item.finding.line, item.finding.column, width)
        properties: dict[str, Any] = {"outcome": str(item.finding.outcome)}
        result: dict[str, Any] = {
            "ruleId": item.finding.rule,
            "ruleIndex": rules.index(item.finding.rule),
            "level": str(item.level),
            "message": {"text": _plain(with_help(item.finding))},
            "locations": [{"physicalLocation": location}],
            "partialFingerprints": {
                "nnxMigrate/v1": fingerprints.of(item.result.path, item.finding)
            },
            "properties": properties,
        }
        evidence = item.finding.evidence
        if evidence:
            properties["evidence"] = [f"{e.proof}: {e.claim}" for e in evidence]
            result["relatedLocations"] = list(_related(evidence, report))
        units = dict.fromkeys(e.unit for e in item.result.edits if item.place in e.findings)
        for unit in units if not report.written else ():
            leader = leaders.setdefault((id(item.result), unit), number)
            if leader == number:
                edits = [edit for edit in item.result.edits if edit.unit == unit]
                result.setdefault("fixes", []).append(_fix(name, edits, item.result))
            else:
                properties["fixedWithResult"] = leader
        yield result


def _fix(name: str, edits: list[SourceEdit], result: FileResult) -> dict[str, Any]:
    rules = sorted({rule for edit in edits for rule in result.rules_of(edit)})
    replacements = [
        {
            "deletedRegion": {
                "startLine": edit.line,
                "startColumn": edit.column,
                "endLine": edit.end_line,
                "endColumn": edit.end_column,
            },
            "insertedContent": {"text": edit.replacement},
        }
        for edit in edits
    ]
    return {
        "description": {"text": f"Migrate: {', '.join(rules)}"},
        "artifactChanges": [{"artifactLocation": _artifact(name), "replacements": replacements}],
    }


def _related(evidence: Iterable[Evidence], report: Report) -> Iterator[dict[str, Any]]:
    for number, each in enumerate(evidence):
        if isinstance(each.where, Location) and each.where.line:
            yield {
                "id": number,
                "message": {"text": _plain(f"{each.proof}: {each.claim}")},
                "physicalLocation": _place(
                    shown_path(each.where.path, report.root), each.where.line, 1
                ),
            }


def _place(name: str, line: int, column: int, width: int = 0) -> dict[str, Any]:
    # GitHub wants a line for what is about a file as a whole, too.
    region = {"startLine": line, "startColumn": max(column, 1)} if line else {"startLine": 1}
    if width:
        region["endColumn"] = column + width
    return {"artifactLocation": _artifact(name), "region": region}


def _artifact(name: str) -> Mapping[str, str]:
    if name.startswith("/"):
        return {"uri": f"file://{uri_path(name)}"}
    return {"uri": uri_path(name), "uriBaseId": _ROOT}


def _plain(text: str) -> str:
    whole = text.encode("utf-8", "backslashreplace").decode()  # names that are no UTF-8
    return _LINK.sub(r"\\[", whole)
