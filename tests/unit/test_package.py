"""What the package says of itself, and what its extras bring."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def test_the_types_are_part_of_the_packages() -> None:
    for package in ("nnx_migrate", "nnx_codemods"):
        assert (files(package) / "py.typed").is_file()


def test_every_extra_of_a_command_is_in_all() -> None:
    (everything,) = EXTRAS["all"]
    named = set(re.findall(r"\w+", everything.partition("[")[2]))
    assert named == {"batch", "check", "editor", "html", "owners"}
    # Those left out are for a cluster, and for who works on the project.
    assert set(EXTRAS) - named == {"all", "bench", "browser", "dev", "docs", "ray"}


def test_the_install_line_of_the_readme_is_enough_for_its_commands() -> None:
    block = re.search(
        r"On your own code:\n\n```console\n(.*?)```", (ROOT / "README.md").read_text(), re.S
    )
    assert block is not None
    first, *others = block[1].splitlines()
    assert first.startswith("pip install '.[all]'")
    assert all(line.startswith("nnx-migrate ") for line in others)
