"""`nnx-migrate rule`, `--version` and `--help`."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys

import nnx_migrate
from tests.cli.conftest import Command


def test_lists_every_installed_rule(command: Command) -> None:
    done = command("rule")
    assert (done.code, done.err) == (0, "")
    points = importlib.metadata.entry_points(group="nnx_migrate.codemods")
    lines = done.out.decode().splitlines()
    assert [line.split()[0] for line in lines] == sorted(point.name for point in points)
    assert all(len(line.split()) > 3 for line in lines)


def test_explains_one(command: Command) -> None:
    done = command("rule", "module-gradient")
    assert done.code == 0
    assert len(done.out.splitlines()) > 10
    assert b"nnx.value_and_grad" in done.out


def test_suggests_what_was_meant(command: Command) -> None:
    done = command("rule", "modul-gradient")
    assert (done.code, done.out) == (2, b"")
    assert "no rule named 'modul-gradient'; did you mean 'module-gradient'?" in done.err


def test_version(command: Command) -> None:
    assert command("--version").out.decode() == f"nnx-migrate {nnx_migrate.__version__}\n"


def test_help_teaches_by_example(command: Command) -> None:
    assert b"nnx-migrate apply src/ --dry-run" in command("--help").out
    text = command("apply", "--help").out
    assert b"nnx-migrate apply src/ --diff > nnx.patch && git apply nnx.patch" in text
    assert b"Exit codes:" in text


def test_the_command_line_starts_without_the_engine() -> None:
    program = "import sys, nnx_migrate.cli.app; print('nnx_migrate.engine.run' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert done.stdout == b"False\n"
