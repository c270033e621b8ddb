"""`apply` and `batch` with `--follow-installed`, in the environment that `--python` names."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

_NETS = """\
import adapters
from flax import nnx


class Tied(nnx.Module):
    def __init__(self, rngs):
        self.a = self.b = nnx.Linear(2, 2, rngs=rngs)


def main():
    return adapters.count(Tied(nnx.Rngs(0)))
"""


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """The installed packages of an environment, beside a project that uses one of them."""
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "main.py").write_text(_NETS)
    packages = tmp_path / "environment" / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    (packages / "adapters.py").write_text(
        "from flax import nnx\n\n\ndef count(model):\n    return len(nnx.state(model))\n"
    )
    return packages


def test_apply_says_what_an_installed_package_reaches(command: Command, packages: Path) -> None:
    apply = ["apply", "project", "--check", "--format", "json"]
    found = _messages(command(*apply).out)
    assert "did not read" in found[0]
    followed = [*apply, "--follow-installed", "--python", "environment"]
    assert "count calls nnx.state (adapters.py:5)" in _messages(command(*followed).out)[0]
    (packages / "adapters.py").write_text("def count(model):\n    return 0\n")
    assert _messages(command(*followed).out) == []


def test_an_environment_without_packages_is_an_error(command: Command, packages: Path) -> None:
    done = command("apply", "project", "--check", "--follow-installed", "--python", "project")
    assert done.code == 2
    assert "has no installed packages" in done.err


def test_batch_knows_when_something_else_is_installed(command: Command, packages: Path) -> None:
    batch = ["batch", "project", "--out", "out", "--follow-installed", "--python", "environment"]
    command(*batch)
    assert "calls nnx.state" in _written(packages)
    (packages / "adapters.py").unlink()
    (packages / "adapters").mkdir()
    (packages / "adapters" / "__init__.py").write_text("def count(model):\n    return 0\n")
    command(*batch, "--resume")
    assert "calls nnx.state" not in _written(packages)


def _messages(out: bytes) -> list[str]:
    report = json.loads(out)
    return [each["message"] for file in report["files"] for each in file["findings"]]


def _written(packages: Path) -> str:
    out = packages.parents[3] / "out"
    return "".join(
        file.read_text()
        for file in sorted(out.rglob("*"))
        if file.is_file() and file.suffix in {".json", ".jsonl", ".md"}
    )
