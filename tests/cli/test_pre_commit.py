"""The hooks of pre-commit, run by pre-commit on a repository of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.cli.conftest import TRAIN

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / ".pre-commit-hooks.yaml"
PRE_COMMIT = Path(sys.executable).with_name("pre-commit")
HOOKS: dict[str, dict[str, Any]] = {
    hook["id"]: hook for hook in YAML(typ="safe").load(MANIFEST.read_text())
}


def run(repository: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "PYTHONPATH"))}
    environment["PATH"] = f"{PRE_COMMIT.parent}{os.pathsep}{environment['PATH']}"
    environment["PRE_COMMIT_HOME"] = str(repository.parent / "pre-commit home")
    return subprocess.run(
        arguments, cwd=repository, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with one file to migrate, one without nnx, and one that is no Python."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "train.py").write_bytes(TRAIN)
    (folder / "plain.py").write_bytes(b"import os\n")
    (folder / "notes.txt").write_bytes(b"from flax import nnx\n")
    run(folder, "git", "init", "-q")
    run(folder, "git", "add", "-A")
    return folder


def test_the_manifest_is_valid() -> None:
    done = run(ROOT, PRE_COMMIT, "validate-manifest", MANIFEST)
    assert done.returncode == 0, done.stdout
    assert set(HOOKS) == {"nnx-migrate-check", "nnx-migrate"}


def local_config(hook: str) -> str:
    """A configuration that runs a hook of the manifest with what is installed here."""
    told = {**HOOKS[hook], "language": "system"}
    lines = "".join(f"        {key}: {value}\n" for key, value in told.items() if key != "id")
    return f"repos:\n  - repo: local\n    hooks:\n      - id: {hook}\n{lines}".replace(
        "True", "true"
    ).replace("'", '"')


def test_the_check_fails_and_changes_nothing(repository: Path) -> None:
    (repository / ".pre-commit-config.yaml").write_text(local_config("nnx-migrate-check"))
    done = run(repository, PRE_COMMIT, "run", "--all-files")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "rewritten[module-gradient]  1 place: " in done.stdout
    assert "\n  train.py:18:19\n" in done.stdout
    assert "notes.txt" not in done.stdout
    assert (repository / "train.py").read_bytes() == TRAIN


def test_the_migration_fails_once_and_then_passes(repository: Path) -> None:
    (repository / ".pre-commit-config.yaml").write_text(local_config("nnx-migrate"))
    done = run(repository, PRE_COMMIT, "run", "--all-files")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "files were modified by this hook" in done.stdout
    assert b"nnx.merge" in (repository / "train.py").read_bytes()
    run(repository, "git", "add", "-A")
    assert run(repository, PRE_COMMIT, "run", "--all-files").returncode == 0


@pytest.mark.network
def test_pre_commit_installs_the_hook_and_runs_it(repository: Path, tmp_path: Path) -> None:
    listed = run(ROOT, "git", "ls-files", "-co", "--exclude-standard", "-z")
    if listed.returncode:
        pytest.skip("pre-commit takes hooks from git, and this is no checkout")
    # A clone would lack what is not committed yet.
    hooks = tmp_path / "hooks"
    for name in filter(None, listed.stdout.split("\0")):
        if not name.startswith(("golden/", "tests/", "docs/")) and (ROOT / name).is_file():
            (hooks / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, hooks / name)
    run(hooks, "git", "init", "-q")
    run(hooks, "git", "add", "-A")
    run(hooks, "git", "-c", "user.name=n", "-c", "user.email=e", "commit", "-qm", "hooks")
    done = run(repository, PRE_COMMIT, "try-repo", hooks, "nnx-migrate-check", "--all-files")
    if "No matching distribution found" in done.stdout + done.stderr:
        pytest.skip("no package index here")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "rewritten[module-gradient]  1 place: " in done.stdout
    assert "\n  train.py:18:19\n" in done.stdout
