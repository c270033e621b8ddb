"""The image for batch jobs: hadolint finds nothing, and what is copied into it is enough.

Hadolint parses every instruction, and shellcheck, which is in it, every command. The image is built
where a Docker daemon runs.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCKERFILE = ROOT / "Dockerfile"
HADOLINT = Path(sys.executable).with_name("hadolint")


def hadolint(text: str) -> list[str]:
    """The codes of what hadolint finds."""
    done = subprocess.run(
        [HADOLINT, "--no-fail", "--format", "json", "-"],
        input=text,
        capture_output=True,
        text=True,
        check=True,
    )
    return [each["code"] for each in json.loads(done.stdout)]


def copied() -> list[str]:
    """What the image takes from the checkout."""
    lines = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE.read_text(), re.MULTILINE)
    return [name for line in lines for name in line.split()]


@pytest.mark.skipif(not HADOLINT.exists(), reason="hadolint has no package for this system")
def test_hadolint_finds_nothing() -> None:
    text = DOCKERFILE.read_text()
    assert hadolint(text) == []
    assert hadolint(text.replace(" --no-install-recommends", "")) == ["DL3015"]
    assert hadolint(text.replace("/var/lib/apt/lists/*", "$HOME")) == ["SC2086"]


def test_all_that_is_copied_reaches_the_builder() -> None:
    first, *others = (ROOT / ".dockerignore").read_text().split()
    assert first == "*"
    assert [f"!{name}" for name in copied()] == [each for each in others if each[0] == "!"]


def test_the_names_in_it_are_those_of_the_package() -> None:
    text = DOCKERFILE.read_text()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    [entry] = re.findall(r'ENTRYPOINT \["(.+)"\]', text)
    assert entry in project["scripts"]
    page = (ROOT / "docs" / "batch.md").read_text()
    named = [text.partition("ARG EXTRAS=")[2].split()[0], *re.findall(r"EXTRAS=([\w,]+)", page)]
    assert len(named) == 3
    assert {extra for names in named for extra in names.split(",")} <= set(
        project["optional-dependencies"]
    )
    for folder in re.findall(r"--volume \S+:(/\w+)", page):
        assert folder in {"/campaign", "/project", "/state"}


@pytest.mark.network
def test_a_wheel_can_be_made_of_what_is_copied(tmp_path: Path) -> None:
    for name in copied():
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, tmp_path / name)
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--wheel-dir", "wheels", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    if "No matching distribution found for hatchling" in done.stderr:
        pytest.skip("no package index here")
    assert done.returncode == 0, done.stderr
    [wheel] = (tmp_path / "wheels").iterdir()
    held = zipfile.ZipFile(wheel).namelist()
    for name in ("nnx_migrate/cli/app.py", "nnx_migrate/py.typed", "nnx_codemods/state_axes.py"):
        assert name in held


def _docker_runs() -> bool:
    docker = shutil.which("docker")
    command = [docker or "", "info"]
    return bool(docker) and not subprocess.run(command, capture_output=True, check=False).returncode


@pytest.mark.network
@pytest.mark.skipif(not _docker_runs(), reason="no Docker daemon runs here")
def test_the_page_builds_and_runs_it(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "batch.md").read_text().replace("\\\n", " ")
    build, *lines = re.findall(r"^(?:docker|mkdir) .*", page, re.MULTILINE)
    subprocess.run(build, shell=True, cwd=ROOT, check=True)
    project = tmp_path / "project"
    shutil.copytree(ROOT / "examples" / "sample", project)
    for line in lines:
        done = subprocess.run(line, shell=True, cwd=project, check=False)
        assert done.returncode in {0, 1}, line
    assert (tmp_path / "campaign" / "summary.json").is_file()
    assert "nnx.split" in (project / "ranker" / "training.py").read_text()
