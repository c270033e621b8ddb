"""What a terminal is given, through a real pseudo-terminal, and what a pipe is given instead."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.conftest import COMMAND, TRAIN, Command

CONTROL = re.compile(r"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f-\x9f\u202e]")
SEQUENCE = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
PINNED = b"""\
from flax import nnx


@nnx.compat.jit
def evaluate(model: nnx.Linear, x):
    model.evaluated_after_the_last_step = True
    return model(x)


@nnx.jit
def step(model: nnx.Linear, x):
    model.normalized_by_the_last_step = True
    return model(x)
"""
#: Frames of code and commands to copy are not broken.
CODE_OR_COMMAND = ("Next:", "      nnx-migrate", *(f"{n} |" for n in range(1, 30)), "   |")
HOSTILE = "# \x1b]0;title\x07 \x1b[2J [bold]loud[/] [/] \u202egnp :smile: \x9b31m\n"


def in_terminal(
    folder: Path, *arguments: str, environment: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run the command with both streams on one terminal; its exit code and what it wrote."""
    keys = ("NO_COLOR", "FORCE_COLOR", "PYTHONPATH", "COLUMNS")
    inherited = {key: value for key, value in os.environ.items() if key not in keys}
    variables = {**inherited, "TERM": "xterm-256color", **(environment or {})}
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [COMMAND, *arguments], stdin=slave, stdout=slave, stderr=slave, cwd=folder, env=variables
    )
    os.close(slave)
    written = b"".join(_read(master, process))
    os.close(master)
    return process.wait(), written.decode().replace("\r\n", "\n")


def _read(master: int, process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline:
        if select.select([master], [], [], 0.2)[0]:
            try:
                data = os.read(master, 65536)
            except OSError:  # how Linux says that the other end is closed
                return
            if not data:
                return
            yield data
        elif process.poll() is not None:
            return


def plain(text: str) -> str:
    return SEQUENCE.sub("", text)


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A file whose name and code try to control the terminal and to be markup."""
    file = tmp_path / "src" / "a\x1b[31m[bold]x[/].py"
    file.parent.mkdir(parents=True)
    # Beside the line that changes, so that it is context in the diff.
    lines = TRAIN.decode().replace("    loss, grads", f"    {HOSTILE}    loss, grads")
    file.write_bytes(lines.encode())
    return tmp_path


def test_a_diff_on_a_terminal_is_coloured_and_harmless(hostile: Path) -> None:
    code, told = in_terminal(hostile, "apply", "src", "--diff")
    assert code == 1
    assert "\x1b[31m-    loss, grads" in told
    assert "\x1b[32m+    graphdef, params" in told
    assert "# \\x1b]0;title\\x07 \\x1b[2J [bold]loud[/] [/] \\u202egnp :smile: \\x9b31m" in told
    told = told[told.index("--- ") :]  # behind the bar of progress
    assert not CONTROL.search(told)
    assert set(SEQUENCE.findall(told)) <= {f"\x1b[{n}m" for n in ("0", "1", "31", "32", "36")}


def test_a_diff_in_a_pipe_is_the_same_byte_for_byte(
    hostile: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    patch = command("apply", "src", "--diff").out
    assert HOSTILE.strip().encode() in patch
    subprocess.run(["git", "init", "-q", hostile], check=True)
    subprocess.run(["git", "apply", "-"], input=patch, cwd=hostile, check=True)


def test_the_report_names_hostile_files_harmlessly(hostile: Path) -> None:
    code, told = in_terminal(hostile, "apply", "src", "--check", "-v")
    assert code == 1
    assert "src/a\\x1b[31m[bold]x[/].py:" in plain(told)
    assert "\x1b[32mrewritten\x1b[0m" in told
    assert not CONTROL.search(told.replace("\r", ""))


def test_numbers_are_a_table_on_a_terminal(project: Path, command: Command) -> None:
    _, told = in_terminal(project.parent, "apply", "src", "--check")
    rows = [line.split() for line in plain(told).splitlines()]
    assert ["rule", "rewritten"] in rows
    assert ["module-gradient", "1"] in rows
    assert "  module-gradient  1 rewritten\n" in command("apply", "src", "--check").said


@pytest.mark.parametrize(
    ("environment", "coloured", "moving"),
    [
        ({}, True, True),
        ({"NO_COLOR": "1"}, False, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False, True),
        ({"NO_COLOR": ""}, True, True),
        ({"TERM": "dumb"}, False, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True, False),
    ],
)
def test_colours_are_for_those_who_want_them(
    project: Path, environment: dict[str, str], coloured: bool, moving: bool
) -> None:
    _, told = in_terminal(project.parent, "apply", "src", "--dry-run", environment=environment)
    assert bool(re.search(r"\x1b\[[0-9;]*[1-9][0-9;]*m", told)) is coloured
    if not moving:
        assert not re.search(r"\x1b\[[0-9?]*[A-Zhl]|\r(?!\n)", told)


def test_a_pipe_is_coloured_only_when_forced(
    project: Path, command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "\x1b" not in command("apply", "src", "--check").said
    monkeypatch.setenv("FORCE_COLOR", "1")
    done = command("apply", "src", "--dry-run")
    assert "\x1b[32mrewritten" in done.err
    assert b"\x1b" not in done.out


def test_progress_is_shown_and_taken_away(tmp_path: Path) -> None:
    # A run that is soon over shows none.
    body = "".join(f"    x = nnx.jit(lambda x: x + {n})(x)\n" for n in range(60))
    for number in range(80):
        (tmp_path / f"a{number}.py").write_text(f"from flax import nnx\n\n\ndef f(x):\n{body}")
    code, told = in_terminal(tmp_path, "apply", ".", "--jobs", "1")
    assert code == 0
    assert "planning files" in told
    # Each bar is drawn over, and the last thing said stands on lines of its own.
    assert "\x1b[2K" in told
    assert (
        plain(told)
        .rstrip()
        .endswith("0 files changed; 80 files looked at. The rules found nothing to do in them.")
    )


def test_a_file_that_takes_long_is_named_while_it_does(tmp_path: Path) -> None:
    body = "".join(f"    x = nnx.jit(lambda m: m({n}))(model)\n" for n in range(900))
    (tmp_path / "slow.py").write_text(f"from flax import nnx\n\n\ndef f(model):\n{body}")
    _, told = in_terminal(tmp_path, "apply", "slow.py", "--check", "--statistics", "--jobs", "1")
    shown = [line for line in re.split(r"\x1b\[2K", told) if " files " in line]
    # It moves by the clock: the only file is never done before the end.
    assert len(shown) > 3
    assert re.search(r"slow\.py \(\d+ s\)", plain(told))


@pytest.mark.parametrize(
    "arguments",
    [
        ("apply", "src", "--check"),
        ("apply", "src", "--check", "--output-format", "grouped", "--verbose"),
        ("apply", "src", "--check", "--statistics"),
        ("pins", "src"),
        ("rule",),
    ],
)
def test_sentences_fit_the_terminal(project: Path, arguments: tuple[str, ...]) -> None:
    (project / "steps.py").write_bytes(PINNED)
    _, told = in_terminal(project.parent, *arguments, environment={"COLUMNS": "60"})
    drawn = plain(re.sub(r"[^\n]*\x1b\[2K", "", told)).splitlines()
    assert len(drawn) > 3
    assert [line for line in drawn if len(line) > 60 and not line.startswith(CODE_OR_COMMAND)] == []


def test_the_list_of_commands_is_whole_at_80_columns(tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "--help"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env={**os.environ, "COLUMNS": "80"},
    )
    _, _, commands = done.stdout.partition("Commands:\n")
    listed = commands.splitlines()
    assert len(listed) >= 10
    assert [line for line in listed if not line.endswith(".") or line.endswith("...")] == []


def test_a_text_on_a_terminal_is_harmless(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    done = subprocess.Popen(
        [COMMAND, "apply", "-"],
        stdin=subprocess.PIPE,
        stdout=slave,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    os.close(slave)
    assert done.stdin is not None
    done.stdin.write(HOSTILE.encode())
    done.stdin.close()
    told = b"".join(_read(master, done)).decode()
    os.close(master)
    assert "\\x1b]0;title" in told
    assert "\x1b" not in told
