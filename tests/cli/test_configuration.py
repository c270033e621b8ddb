"""`--exclude` and `--config`, for every command that takes them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import TRAIN, Command
from tests.cli.test_diagnostics import GENERIC


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two files that change, one of them in a folder of its own."""
    for name in ("src/train.py", "src/gen/made.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True, parents=True)
        (tmp_path / name).write_bytes(TRAIN)
    return tmp_path


def test_excluded_files_are_left_alone_even_if_they_are_named(
    command: Command, files: Path
) -> None:
    done = command("apply", "src", "src/gen/made.py", "--exclude", "src/gen/")
    assert done.code == 0
    assert (files / "src/gen/made.py").read_bytes() == TRAIN
    assert (files / "src/train.py").read_bytes() != TRAIN


@pytest.mark.parametrize("pattern", ["made.py", "gen", "src/**/made.py", "*.py"])
def test_patterns_are_those_of_gitignore(command: Command, files: Path, pattern: str) -> None:
    diff = command("apply", "src", "--diff", "--exclude", pattern).out
    assert b"made.py" not in diff
    assert (b"train.py" in diff) == (pattern != "*.py")


def test_a_bad_pattern_is_an_error_that_names_the_option(command: Command, files: Path) -> None:
    done = command("apply", "src", "--exclude", "!")
    assert done.code == 2
    assert "--exclude: " in done.err


def test_what_is_excluded_still_says_what_the_others_are_given(
    command: Command, files: Path
) -> None:
    """`step` is rewritten because a call in the file that is left alone shows its class."""
    folder = files / "lib"
    folder.mkdir()
    (folder / "steps.py").write_bytes(GENERIC)
    (folder / "calls.py").write_bytes(
        b"from flax import nnx\nfrom steps import step\n\n"
        b"def run(batch):\n    return step(nnx.Linear(2, 1, rngs=nnx.Rngs(0)), batch)\n"
    )

    def findings(*options: str) -> object:
        report = command("apply", "lib", "--check", "--format", "json", *options).out
        [file] = [each for each in json.loads(report)["files"] if each["path"].endswith("steps.py")]
        return file["findings"]

    assert findings("--exclude", "calls.py") == findings()
    known = findings()
    (folder / "calls.py").unlink()
    assert findings() != known


def test_a_configuration_can_be_named(command: Command, files: Path) -> None:
    (files / "ci.toml").write_text('ignore = ["module-gradient"]\nexclude = ["src/gen/"]\n')
    assert command("apply", "src", "--diff", "--config", "ci.toml").out == b""
    assert b"made.py" in command("apply", "src", "--diff").out
    missing = command("apply", "src", "--config", "none.toml")
    assert missing.code == 2
    assert "none.toml" in missing.err
    (files / "ci.toml").write_text("unsave = true\n")
    wrong = command("apply", "src", "--config", "ci.toml")
    assert wrong.code == 2
    assert "ci.toml: has no key 'unsave'; did you mean 'unsafe'?" in wrong.err


def test_pins_take_both(command: Command, files: Path) -> None:
    (files / "src/steps.py").write_bytes(GENERIC)
    assert command("apply", "src").code == 0
    listed = command("pins", "src", "--format", "json")
    assert "steps.py" in listed.out.decode()
    assert "steps.py" not in command("pins", "src", "--exclude", "steps.py").out.decode()
    (files / "ci.toml").write_text('exclude = ["src/steps.py"]\n')
    assert "steps.py" not in command("pins", "src", "--config", "ci.toml").out.decode()


def test_batch_takes_both(command: Command, files: Path) -> None:
    (files / "ci.toml").write_text('exclude = ["src/gen/"]\n')
    for number, option in enumerate((("--exclude", "gen/"), ("--config", "ci.toml"))):
        out = files.parent / f"{files.name}-campaign-{number}"
        command("batch", ".", "--out", out, *option)
        patches = "".join(path.read_text() for path in (out / "patches").rglob("*.patch"))
        assert "src/train.py" in patches
        assert "made.py" not in patches


def test_check_takes_a_configuration(command: Command, files: Path) -> None:
    (files / "ci.toml").write_text("[check]\ntimeout = -1\n")
    done = command("check", "src", "src", "--config", "ci.toml", "--cases", "none.py")
    assert done.code == 2
    assert "ci.toml: [check] timeout must be a number of 0 or more, not -1" in done.err
