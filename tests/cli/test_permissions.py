"""`--allow NAME`: what a rewrite may assume, named in its finding with what follows from it."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.permissions import Permission
from tests.cli.conftest import Command

# Nothing shows what `model` is, so what the function does to it is not known either.
STEPS = """\
from flax import nnx


def forward(model, x):
    axes = nnx.StateAxes({nnx.Param: None, ...: 0})
    return nnx.vmap(lambda model, x: model(x), in_axes=(axes, 0))(model, x)
"""
BOTH = "unknown-class,unknown-effects"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    file = tmp_path / "src" / "steps.py"
    file.parent.mkdir()
    file.write_text(STEPS)
    return file


def outcome(command: Command, *arguments: str) -> str:
    done = command("apply", "src", "--check", *arguments)
    assert done.code == 1, done.err
    (line,) = (line for line in done.said.splitlines() if line.startswith("src/steps.py:6"))
    return line.split(": ", 2)[2]


def test_without_leave_nothing_is_assumed(command: Command, source: Path) -> None:
    assert outcome(command).startswith("pinned: ")


@pytest.mark.parametrize("name", BOTH.split(","))
def test_one_of_two_is_not_enough(command: Command, source: Path, name: str) -> None:
    assert outcome(command, "--allow", name).startswith("pinned: ")


@pytest.mark.parametrize(
    "given",
    [
        ("--allow", BOTH),
        ("--allow", "unknown-class", "--allow", "unknown-effects"),
        ("--unsafe",),
    ],
)
def test_the_finding_names_what_is_assumed_and_what_follows(
    command: Command, source: Path, given: tuple[str, ...]
) -> None:
    told = outcome(command, *given)
    assert told.startswith("rewritten: ")
    for name in BOTH.split(","):
        assert f"; {name} is allowed: {Permission(name).consequence}" in told


def test_a_table_allows_it_too_and_an_override_for_some_paths(
    command: Command, source: Path, tmp_path: Path
) -> None:
    names = '["unknown-class", "unknown-effects"]'
    table = tmp_path / "pyproject.toml"
    table.write_text(f"[tool.nnx-migrate]\nallow = {names}\n")
    assert outcome(command).startswith("rewritten: ")
    some = '[[tool.nnx-migrate.overrides]]\npaths = ["{}"]\nallow = {}\n'
    table.write_text(some.format("src/other.py", names))
    assert outcome(command).startswith("pinned: ")
    table.write_text(some.format("src/steps.py", names))
    assert outcome(command).startswith("rewritten: ")


@pytest.mark.parametrize(
    ("name", "hint", "in_table"),
    [
        (
            "unknown-clas",
            "did you mean 'unknown-class'?",
            "not ['unknown-clas']; did you mean 'unknown-class'?",
        ),
        ("all", "there are unknown-class, ", "allow must be a list with one of 'unknown-class', "),
    ],
)
def test_a_name_that_there_is_not_is_refused(
    command: Command, source: Path, tmp_path: Path, name: str, hint: str, in_table: str
) -> None:
    done = command("apply", "src", "--check", "--allow", name)
    assert done.code == 2
    assert f"--allow: there is no permission named {name!r}; {hint}" in done.err
    (tmp_path / "pyproject.toml").write_text(f'[tool.nnx-migrate]\nallow = ["{name}"]\n')
    done = command("apply", "src", "--check")
    assert done.code == 2
    assert in_table in done.err
    assert "pyproject.toml: [tool.nnx-migrate] allow" in done.err


def test_a_pull_request_says_what_was_allowed(
    command: Command, source: Path, tmp_path: Path
) -> None:
    command("apply", "src", "--patch", "patches", "--patch-by", "file", "--allow", BOTH)
    (text,) = (tmp_path / "patches").glob("*.md")
    page = text.read_text()
    assert "## Assumptions that you allowed" in page
    for name in BOTH.split(","):
        told = Permission(name)
        line = f"- `{name}` (1 place): {told.assumed}. If that is wrong: {told.consequence}."
        assert line in page
    command("apply", "src", "--patch", "pinned", "--patch-by", "file")
    (text,) = (tmp_path / "pinned").glob("*.md")
    assert "Assumptions that you allowed" not in text.read_text()


def test_what_a_place_asks_for_is_shown(command: Command, source: Path) -> None:
    first, second = BOTH.split(",")
    told = command("apply", "--explain", "src/steps.py:6").out.decode()
    assert f"[--allow {first}]" in told
    told = command("apply", "--explain", "src/steps.py:6", "--allow", first).out.decode()
    assert f"[--allow {second}]" in told


def test_help_and_the_page_list_every_name(command: Command) -> None:
    shown = " ".join(command("apply", "--help").out.decode().split()).replace("- ", "-")
    page = (Path(__file__).parents[2] / "docs" / "permissions.md").read_text()
    for each in Permission:
        assert each in shown
        assert f"| `{each}` | {each.assumed} | {each.consequence} |" in page


# The two parts keep the Rngs of the model, and the model does, too.
PARTS = """\
from flax import nnx


class Part(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs

    def __call__(self, x):
        return x + self.rngs.noise.normal(x.shape)


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.rngs = rngs
        self.parts = nnx.List([Part(rngs), Part(rngs)])

    def __call__(self, x):
        for part in self.parts:
            x = part(x)
        return x


@nnx.jit
def step(model: Model, x):
    return model(x)
"""
LIFT = Permission.LIFT_RNGS


@pytest.fixture
def parts(tmp_path: Path) -> Path:
    file = tmp_path / "src" / "parts.py"
    file.parent.mkdir()
    file.write_text(PARTS)
    return file


def test_an_rngs_stays_where_it_is_until_somebody_asks(command: Command, parts: Path) -> None:
    told = command("apply", "--explain", "src/parts.py:23").out.decode()
    assert f"[--allow {LIFT}]" in told
    names = [each.value for each in Permission if each not in (LIFT, Permission.FORK_RNGS)]
    assert command("apply", "src", "--allow", ",".join(names)).code == 0
    text = parts.read_text()
    assert "@nnx.compat.jit" in text
    assert "self.rngs = rngs" in text.partition("class Model")[0]


def test_an_rngs_that_is_lifted_says_what_changes(
    command: Command, parts: Path, tmp_path: Path
) -> None:
    command("apply", "src", "--patch", "patches", "--patch-by", "file", "--allow", LIFT)
    (text,) = (tmp_path / "patches").glob("*.md")
    told = f"{LIFT.assumed}. If that is wrong: {LIFT.consequence}."
    assert f"- `{LIFT}` (1 place): {told}" in text.read_text()
    done = command("apply", "src", "--verbose", "--allow", LIFT)
    assert done.code == 0
    assert f"Part gets the Rngs of Model at its calls, and keeps none; {LIFT} is" in done.err
    assert "            x = part(x, rngs=self.rngs)\n" in parts.read_text()


def test_a_pin_of_an_earlier_run_goes_where_an_rngs_may_be_lifted(
    command: Command, parts: Path
) -> None:
    command("apply", "src")
    assert "@nnx.compat.jit" in parts.read_text()
    assert command("apply", "src", "--unpin", "--allow", LIFT).code == 0
    assert "compat" not in parts.read_text()
    assert "x = part(x, rngs=self.rngs)" in parts.read_text()
