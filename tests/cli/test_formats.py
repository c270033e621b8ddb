"""`nnx-migrate apply --format` and `--report`, through the installed command."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import TRAIN, Command
from tests.cli.test_verify import CASES
from tests.cli.test_verify import project as checked_project
from tests.unit.report.test_machine_formats import schema

FORMATS = ("json", "jsonl", "sarif", "github", "gitlab", "markdown")


@pytest.mark.parametrize("name", FORMATS)
def test_a_report_goes_to_stdout_or_to_a_file(
    command: Command, project: Path, tmp_path: Path, name: str
) -> None:
    printed = command("apply", "src", "--check", "--format", name)
    assert (printed.code, printed.err) == (1, "")
    assert b"module-gradient" in printed.out
    filed = command("apply", "src", "--check", "--report", f"{name}=out.txt")
    assert (filed.code, filed.err) == (1, "")
    assert "module-gradient" in filed.said
    assert (tmp_path / "out.txt").read_bytes() == printed.out


def test_several_reports_come_from_one_run(command: Command, project: Path, tmp_path: Path) -> None:
    done = command("apply", "src", "--report", "sarif=a.sarif", "--report", "markdown=a.md")
    assert done.code == 0
    assert (project / "train.py").read_bytes() != TRAIN
    assert '"fixes"' not in (tmp_path / "a.sarif").read_text()
    assert "1 of 2 files changed. Nothing is left to do." in (tmp_path / "a.md").read_text()


def test_one_format_may_go_to_two_files(command: Command, project: Path, tmp_path: Path) -> None:
    command("apply", "src", "--check", "--report", "json=a", "--report", "json=b=c")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b=c").read_bytes() != b""


@pytest.mark.parametrize("given", ["sarif", "sarif=", "=x", "pdf=x", "sarif=missing/x", "json=src"])
def test_a_report_that_cannot_be_written_is_an_error(
    command: Command, project: Path, given: str
) -> None:
    done = command("apply", "src", "--report", given)
    assert done.code == 2
    assert "--report" in done.err
    assert (project / "train.py").read_bytes() == TRAIN


@pytest.mark.parametrize("name", FORMATS)
def test_names_of_any_kind_are_told_in_any_locale(
    command: Command, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    for odd in (b"\xc3\xa9.py", b"\xff.py"):
        (Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + odd))).write_bytes(TRAIN)
    done = command("apply", ".", "--check", "--format", name, "--report", f"{name}=out.txt")
    assert (done.code, done.err) == (1, "")
    assert done.out.decode("utf-8").count("module-gradient") >= 2
    assert (tmp_path / "out.txt").read_bytes() == done.out


@pytest.mark.runs_jax
def test_verdicts_are_in_the_report(tmp_path: Path, command: Command) -> None:
    checked_project(tmp_path, CASES)
    done = command("apply", "train.py", "--verify", "--format", "json", "--report", "jsonl=x.jsonl")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    jsonschema.validate(document, schema())
    [case] = document["check"]["cases"]
    assert case["verdict"] in {"proved", "equal", "close"}
    assert "train.py" in case["files"]["new"]
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text().splitlines()]
    whole = schema()
    for line in lines:
        jsonschema.validate(line, {**whole["$defs"]["line"], "$defs": whole["$defs"]})
    assert [line["type"] for line in lines] == ["run", "file", "check", "summary"]
