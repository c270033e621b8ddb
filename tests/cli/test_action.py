"""The GitHub Action: its file is one, its scripts hold no input, and they do what they should.

The scripts run here as on a runner, with a stand-in for GitHub's own command `gh`.
"""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.cli.conftest import COMMAND, TRAIN

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = YAML(typ="safe").load((ROOT / "action.yml").read_text())
SCRIPTS = {step["name"]: step for step in ACTION["runs"]["steps"] if "run" in step}
GH = """\
#!/usr/bin/env python3
import json, os, pathlib, sys
calls = pathlib.Path(os.environ["GH_CALLS"])
body = [a.removeprefix("body=@") for a in sys.argv if a.startswith("body=@")]
entry = {"arguments": sys.argv[1:], "body": pathlib.Path(body[0]).read_text() if body else ""}
calls.write_text((calls.read_text() if calls.exists() else "") + json.dumps(entry) + "\\n")
if os.environ.get("GH_FAILS"):
    sys.exit(1)
if "--jq" in sys.argv:
    print(os.environ.get("GH_FOUND", ""))
"""


@dataclasses.dataclass(frozen=True)
class Runner:
    """A machine of GitHub: a checkout, a folder for files that come and go, and `gh`."""

    workspace: Path
    temporary: Path

    def step(self, name: str, **environment: str) -> subprocess.CompletedProcess[str]:
        inherited = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", SCRIPTS[name]["run"]],
            cwd=self.workspace,
            env={
                **inherited,
                "PATH": f"{self.temporary}/stand-in{os.pathsep}{os.environ['PATH']}",
                "RUNNER_TEMP": str(self.temporary),
                "GITHUB_OUTPUT": str(self.temporary / "output"),
                "GITHUB_STEP_SUMMARY": str(self.temporary / "step-summary"),
                "GITHUB_REPOSITORY": "org/repo",
                "GITHUB_ACTION_PATH": str(ROOT),
                "GH_CALLS": str(self.temporary / "calls"),
                **environment,
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def run(self, paths: str = ".", args: str = "", annotations: str = "true") -> Any:
        return self.step(
            "Run nnx-migrate", NNX_PATHS=paths, NNX_ARGS=args, NNX_ANNOTATIONS=annotations
        )

    def outputs(self) -> dict[str, str]:
        lines = (self.temporary / "output").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def calls(self) -> list[dict[str, Any]]:
        file = self.temporary / "calls"
        return [json.loads(line) for line in file.read_text().splitlines()]


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    workspace, temporary = tmp_path / "workspace", tmp_path / "tmp dir"
    (workspace / ".git").mkdir(parents=True)
    (workspace / "src").mkdir()
    (workspace / "src" / "train.py").write_bytes(TRAIN)
    (temporary / "nnx-migrate" / "bin").mkdir(parents=True)
    (temporary / "nnx-migrate" / "bin" / "nnx-migrate").symlink_to(COMMAND)
    (temporary / "stand-in").mkdir()
    gh = temporary / "stand-in" / "gh"
    gh.write_text(GH.replace("/usr/bin/env python3", sys.executable))
    gh.chmod(0o755)
    return Runner(workspace, temporary)


def test_the_file_is_by_the_schema_of_actions() -> None:
    command = Path(sys.executable).with_name("check-jsonschema")
    subprocess.run(
        [command, "--builtin-schema", "vendor.github-actions", ROOT / "action.yml"], check=True
    )


def test_no_script_holds_what_others_may_write() -> None:
    assert len(SCRIPTS) == 5
    for name, step in SCRIPTS.items():
        assert "${{" not in step["run"], name
        assert step["shell"] == "bash"


def test_every_input_is_used_and_told_of() -> None:
    text = (ROOT / "action.yml").read_text()
    page = (ROOT / "docs" / "reports.md").read_text()
    for name, entry in ACTION["inputs"].items():
        assert f"inputs.{name}" in text
        assert entry["description"].endswith(".") or "`" in entry["description"]
        assert f"`{name}`" in page, name
    for name in ACTION["outputs"]:
        assert f"`{name}`" in page, name


def test_a_run_leaves_reports_a_summary_and_annotations(runner: Runner) -> None:
    done = runner.run()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("::warning file=src/train.py,line=18,col=19,title=")
    outputs = runner.outputs()
    assert outputs["exit-code"] == "1"
    assert json.loads(Path(outputs["sarif"]).read_text())["version"] == "2.1.0"
    assert json.loads(Path(outputs["report"]).read_text())["written"] is False
    summary = Path(outputs["summary"]).read_text()
    assert (runner.temporary / "step-summary").read_text() == summary
    assert (runner.workspace / "src" / "train.py").read_bytes() == TRAIN
    assert runner.step("Fail while work is left", NNX_EXIT_CODE="1").returncode == 1
    assert runner.step("Fail while work is left", NNX_EXIT_CODE="0").returncode == 0


def test_arguments_and_paths_are_one_a_line(runner: Runner) -> None:
    (runner.workspace / "a b").mkdir()
    (runner.workspace / "a b" / "train.py").write_bytes(TRAIN)
    done = runner.run("src\na b\n\n", "--select=state-axes,diff-state\n--verbose", "false")
    assert done.returncode == 0, done.stderr
    assert "2 files looked at" in done.stderr
    assert done.stdout == ""
    assert runner.outputs()["exit-code"] == "0"


def test_what_cannot_run_fails_the_step(runner: Runner) -> None:
    assert runner.run(args="--select=no-such-rule").returncode == 2
    assert runner.run(paths="nowhere").returncode == 2


@pytest.mark.parametrize(
    "text",
    ["$(touch pwned)", "`touch pwned`", "; touch pwned", "' ; touch pwned '", '" ; touch pwned "'],
)
def test_inputs_are_never_run(runner: Runner, text: str) -> None:
    assert runner.run(paths=text).returncode == 2
    assert runner.run(args=text).returncode == 2
    done = runner.step("Comment on the pull request", NNX_PULL_REQUEST=text, NNX_SUMMARY=text)
    assert done.returncode in {0, 1}
    left = {path.name for path in runner.workspace.rglob("*")}
    assert left == {".git", "src", "train.py"}


@pytest.mark.parametrize("found", ["", "77", "77\n78"])
def test_the_comment_is_made_once_and_then_updated(runner: Runner, found: str) -> None:
    assert runner.run().returncode == 0
    summary = runner.outputs()["summary"]
    done = runner.step(
        "Comment on the pull request", NNX_PULL_REQUEST="5", NNX_SUMMARY=summary, GH_FOUND=found
    )
    assert (done.returncode, done.stdout) == (0, "")
    looked, commented = runner.calls()
    assert "repos/org/repo/issues/5/comments" in looked["arguments"]
    assert "--paginate" in looked["arguments"]
    [query] = [a for a in looked["arguments"] if "startswith" in a]
    # What is looked for is what the summary begins with.
    assert f'startswith("{commented["body"].splitlines()[0]}")' in query
    method = commented["arguments"][commented["arguments"].index("--method") + 1]
    if found:
        assert method == "PATCH"
        assert "repos/org/repo/issues/comments/77" in commented["arguments"]
    else:
        assert method == "POST"
        assert "repos/org/repo/issues/5/comments" in commented["arguments"]


def test_a_token_that_may_not_comment_is_a_warning(runner: Runner) -> None:
    assert runner.run().returncode == 0
    done = runner.step(
        "Comment on the pull request",
        NNX_PULL_REQUEST="5",
        NNX_SUMMARY=runner.outputs()["summary"],
        GH_FAILS="1",
    )
    assert done.returncode == 0
    assert done.stdout.startswith("::warning title=nnx-migrate::")


def test_the_job_keeps_its_python() -> None:
    [step] = [step for step in ACTION["runs"]["steps"] if "setup-python" in step.get("uses", "")]
    assert step["with"]["update-environment"] is False
    [install] = [s for s in ACTION["runs"]["steps"] if s.get("name") == "Install nnx-migrate"]
    path = f"${{{{ steps.{step['id']}.outputs.python-path }}}}"
    assert install["env"] == {"NNX_PYTHON": path}


def test_nothing_is_uploaded_for_a_fork() -> None:
    [step] = [step for step in ACTION["runs"]["steps"] if "upload-sarif" in step.get("uses", "")]
    assert "head.repo.full_name == github.repository" in step["if"]


def test_a_repository_without_code_scanning_is_a_warning(runner: Runner) -> None:
    """GitHub has none for private repositories that do not pay for it."""
    [upload] = [step for step in ACTION["runs"]["steps"] if "upload-sarif" in step.get("uses", "")]
    assert upload["continue-on-error"] is True
    [says] = [step for step in ACTION["runs"]["steps"] if "steps.upload" in step.get("if", "")]
    assert (upload["id"], says["if"]) == ("upload", "steps.upload.outcome == 'failure'")
    done = runner.step(says["name"])
    assert done.returncode == 0
    assert done.stdout.startswith("::warning title=nnx-migrate::")
    assert "upload-sarif: false" in done.stdout


@pytest.mark.network
def test_the_action_installs_itself(runner: Runner) -> None:
    installed = runner.temporary / "nnx-migrate"
    (installed / "bin" / "nnx-migrate").unlink()
    done = runner.step("Install nnx-migrate", NNX_PYTHON=sys.executable)
    if "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("no package index here")
    assert done.returncode == 0, done.stderr
    assert runner.run().returncode == 0
    schema = "nnx_migrate/report/report.schema.json"
    assert list(installed.glob(f"lib/python*/site-packages/{schema}"))
