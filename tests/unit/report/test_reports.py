"""Reports say what needs eyes, count the rest, and print no control character."""

from __future__ import annotations

import json
from pathlib import Path

from nnx_migrate.core.findings import Evidence, FileResult, FileStatus, Finding, Outcome, Proof
from nnx_migrate.core.place import Location
from nnx_migrate.core.totals import count
from nnx_migrate.report.human.rendering import Look, render_text
from nnx_migrate.report.json import render_json
from nnx_migrate.report.levels import Report
from nnx_migrate.report.text import printable

PLACE = Location(Path("src/a.py"), "src/a.py", 3)
EVIDENCE = (Evidence("model is Net", Proof.PROVED, PLACE),)
RESULTS = [
    FileResult(
        Path("src/a.py"),
        FileStatus.CHANGED,
        b"old",
        b"new",
        (
            Finding("module-gradient", 12, 5, Outcome.REWRITTEN, "grad split", EVIDENCE),
            Finding("state-axes", 20, 1, Outcome.SAME, "no axes here"),
            Finding("state-axes", 30, 1, Outcome.MANUAL, "axes \x1b[31m unknown"),
        ),
    ),
    FileResult(
        Path("src/bad\n.py"),
        FileStatus.FAILED,
        b"",
        b"",
        (Finding("syntax-error", 3, 7, Outcome.MANUAL, "invalid syntax"),),
        "invalid syntax",
    ),
    FileResult(Path("src/c.py"), FileStatus.REVERTED, b"", b"", (), "a comment was lost"),
    FileResult(Path("src/d.py"), FileStatus.UNCHANGED, b"", b""),
]
TOTALS = count(RESULTS, looked_at=1234)


def test_the_text_report_lists_what_needs_eyes_and_counts_the_rest() -> None:
    assert render_text(RESULTS, TOTALS, Look()) == (
        "src/a.py:12:5: module-gradient: rewritten: grad split\n"
        "src/a.py:30:1: state-axes: manual: axes \\x1b[31m unknown\n"
        "src/bad\\n.py:3:7: syntax-error: failed: invalid syntax\n"
        "src/c.py: reverted: a comment was lost\n"
        "\n"
        "1 file changed, 1 failed, 1 reverted; 1,234 files looked at.\n"
        "3 sites: 1 rewritten, 1 manual, 1 same.\n"
        "  module-gradient  1 rewritten\n"
        "  state-axes       1 manual, 1 same\n"
        "Other findings: 1 syntax-error.\n"
        "2 places left for you, listed above; to explain a rule: nnx-migrate rule NAME\n"
    )


def test_verbose_adds_unchanged_sites_and_evidence() -> None:
    text = render_text(RESULTS, TOTALS, Look(verbose=True), written=False)
    assert "src/a.py:20:1: state-axes: same: no axes here\n" in text
    assert "    proved: model is Net (src/a.py:3)\n" in text
    assert "1 file would change" in text


def test_nothing_found_is_one_line() -> None:
    assert render_text([], count([], 0), Look()) == "0 files changed; 0 files looked at.\n"


def test_control_characters_and_surrogates_are_escaped() -> None:
    assert printable("naïve 日本") == "naïve 日本"
    assert printable("a\x1b[0m\udce9\u202e") == "a\\x1b[0m\\udce9\\u202e"


def test_the_json_report_is_one_versioned_object() -> None:
    report = json.loads(render_json(Report(tuple(RESULTS), TOTALS, False, Path.cwd())))
    assert report["schema_version"] == 2
    assert report["tool"]["name"] == "nnx-migrate"
    assert report["summary"]["files"] == {
        "changed": 1,
        "unchanged": 1,
        "skipped": 0,
        "failed": 1,
        "reverted": 1,
    }
    assert report["summary"]["outcomes"] == {
        "rewritten": 1,
        "rewritten-checked": 0,
        "pinned": 0,
        "pinned-mid": 0,
        "manual": 2,
        "same": 1,
    }
    assert report["summary"]["rules"]["state-axes"]["manual"] == 1
    assert report["summary"]["work_left"] is True
    assert [file["status"] for file in report["files"]] == [str(r.status) for r in RESULTS]
    assert report["files"][0]["findings"][0] == {
        "rule": "module-gradient",
        "line": 12,
        "column": 5,
        "outcome": "rewritten",
        "message": "grad split",
        "evidence": [{"claim": "model is Net", "proof": "proved", "where": "src/a.py:3"}],
        "help": [],
    }
