"""docs/reports.md: its recipes are what GitHub, GitLab and pre-commit take, its names exist."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from nnx_migrate.cli.apply import ReportFormat
from nnx_migrate.report.formats import FORMATS
from nnx_migrate.report.human.rendering import Form

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "reports.md").read_text()
RECIPES = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
BIN = Path(sys.executable).parent


@pytest.mark.parametrize(
    ("begins", "command"),
    [
        ("repos:", [BIN / "pre-commit", "validate-config"]),
        ("name:", [BIN / "check-jsonschema", "--builtin-schema", "vendor.github-workflows"]),
        ("nnx-migrate:", [BIN / "check-jsonschema", "--builtin-schema", "vendor.gitlab-ci"]),
    ],
)
def test_a_recipe_is_valid(tmp_path: Path, begins: str, command: list[str | Path]) -> None:
    [recipe] = [text for text in RECIPES if text.startswith(begins)]
    file = tmp_path / "recipe.yaml"
    file.write_text(recipe)
    done = subprocess.run([*command, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_format_is_told_of() -> None:
    assert set(get_args(ReportFormat)) == {"text", *Form, *FORMATS}
    rows = re.findall(r"^\| `(\w+)` \| ", PAGE.partition("### JSON")[0], re.MULTILINE)
    assert set(rows) == {*Form, *FORMATS}


def test_every_hook_is_there() -> None:
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text()
    [recipe] = [text for text in RECIPES if text.startswith("repos:")]
    [hook] = re.findall(r"- id: (\S+)", recipe)
    assert f"- id: {hook}\n" in hooks
