"""`--allow fork-rngs`: Modules keep a fork of the Rngs that they are given, in whichever file."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.three_files import TWO_BLOCKS, check_runs_in_both_modes, write_three_files

LAYERS = """\
import jax
from flax import nnx


class Noise(nnx.Module):
    def __init__(self, scale, *, rngs):
        self.scale = scale
        self.rngs = rngs

    def __call__(self, x):
        return x + self.scale * self.rngs.noise.normal(x.shape)


class Block(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.noise = Noise(1.0, rngs=rngs)

    def __call__(self, x):
        return self.noise(self.linear(x))
"""
MODEL = TWO_BLOCKS
MAIN = """\
import jax.numpy as jnp
from flax import nnx

from model import Model


@nnx.jit
def noise(model: Model, x):
    return [block.noise(x) for block in model.blocks]


def main():
    model = Model(nnx.Rngs(0))
    x = jnp.zeros((2, 2))
    first, second = noise(model, x)
    again, _ = noise(model, x)
    different = [bool((a != b).all()) for a, b in ((first, second), (first, again))]
    return first.shape, different, model(x).shape
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_three_files(tmp_path / "src", layers=LAYERS, model=MODEL, main=MAIN)


def test_a_pin_names_it_as_a_way_out(command: Command, project: Path) -> None:
    done = command("apply", "src", "--dry-run", "--output-format", "full")
    assert "help: or let each Module draw its own random numbers: --allow fork-rngs" in done.said


def test_one_word_in_the_class_frees_what_other_files_do(command: Command, project: Path) -> None:
    assert command("apply", "src", "--allow", "fork-rngs").code == 0
    assert (project / "layers.py").read_text() == LAYERS.replace("= rngs\n", "= rngs.fork()\n")
    assert (project / "model.py").read_text() == MODEL
    assert "compat" not in (project / "main.py").read_text()
    again = command("apply", "src", "--allow", "fork-rngs", "--check")
    assert again.code == 0, again.said


def test_the_finding_says_what_follows(command: Command, project: Path) -> None:
    done = command("apply", "src", "--check", "--output-format", "concise", "--allow", "fork-rngs")
    assert done.code == 1
    (line,) = (line for line in done.said.splitlines() if line.startswith("src/layers.py:8:"))
    assert "Noise keeps a fork of the Rngs that it is given" in line
    assert "fork-rngs is allowed: initial values" in line


def test_all_assumptions_together_change_no_number(command: Command, project: Path) -> None:
    assert command("apply", "src", "--unsafe").code == 0
    assert (project / "layers.py").read_text() == LAYERS
    assert "graph=True" in (project / "main.py").read_text()


def test_a_class_that_stays_as_it_is_keeps_its_users_pinned(
    command: Command, project: Path
) -> None:
    command("apply", "src/main.py", "src/model.py", "--allow", "fork-rngs")
    assert (project / "layers.py").read_text() == LAYERS
    assert "graph=True" in (project / "main.py").read_text()


def test_a_comment_keeps_an_rngs_where_it_is(command: Command, project: Path) -> None:
    silent = LAYERS.replace(
        "self.rngs = rngs\n", "self.rngs = rngs  # nnx-migrate: ignore[shared-reference]\n"
    )
    (project / "layers.py").write_text(silent)
    command("apply", "src", "--allow", "fork-rngs")
    assert (project / "layers.py").read_text() == silent
    assert "graph=True" in (project / "main.py").read_text()


# Each with what is stored in the end.
STORES = {
    "given": ("rngs: nnx.Rngs", "self.rngs = rngs", "self.rngs = rngs.fork()"),
    "given or none": (
        "rngs: nnx.Rngs | None = None",
        "self.rngs = rngs",
        "self.rngs = None if rngs is None else rngs.fork()",
    ),
    "one at least": (
        "rngs: nnx.Rngs | None = None",
        "self.rngs = rngs or nnx.Rngs(0)",
        "self.rngs = (rngs or nnx.Rngs(0)).fork()",
    ),
    "in brackets": (
        "rngs: nnx.Rngs | None = None",
        "self.rngs = (rngs or nnx.Rngs(0))",
        "self.rngs = (rngs or nnx.Rngs(0)).fork()",
    ),
    "another in place of none": (
        "rngs: nnx.Rngs | None = None",
        "self.rngs = nnx.Rngs(0) if rngs is None else rngs",
        "self.rngs = (nnx.Rngs(0) if rngs is None else rngs).fork()",
    ),
    "made before": (
        "rngs: nnx.Rngs | None = None",
        "rngs = rngs or nnx.Rngs(0)\n        self.rngs = rngs",
        "rngs = rngs or nnx.Rngs(0)\n        self.rngs = rngs.fork()",
    ),
    "asked for": (
        "rngs: nnx.Rngs | None = None",
        "if rngs is None:\n            raise ValueError\n        self.rngs = rngs",
        "if rngs is None:\n            raise ValueError\n        self.rngs = rngs.fork()",
    ),
    "where there is one": (
        "rngs: nnx.Rngs | None = None",
        "if rngs is not None:\n            self.rngs = rngs",
        "if rngs is not None:\n            self.rngs = rngs.fork()",
    ),
    "annotated": (
        "rngs: nnx.Rngs",
        "self.rngs: nnx.Rngs = rngs",
        "self.rngs: nnx.Rngs = rngs.fork()",
    ),
    "a fork": ("rngs: nnx.Rngs", "self.rngs = rngs.fork()", "self.rngs = rngs.fork()"),
    "its own": ("rngs: nnx.Rngs", "self.rngs = nnx.Rngs(0)", "self.rngs = nnx.Rngs(0)"),
    "a stream": ("rngs: nnx.RngStream", "self.rngs = rngs", "self.rngs = rngs"),
    "seen at its calls": ("rngs", "self.rngs = rngs", "self.rngs = rngs.fork()"),
    "anything": ("*rngs", "self.rngs = rngs", "self.rngs = rngs"),
    "no Rngs": ("rngs: dict", "self.rngs = rngs", "self.rngs = rngs"),
    "of the class": ("rngs: nnx.Rngs", "Part.rngs = rngs", "Part.rngs = rngs"),
}


@pytest.mark.parametrize("case", STORES)
def test_a_fork_is_kept_where_there_is_an_rngs(command: Command, tmp_path: Path, case: str) -> None:
    parameter, store, after = STORES[case]
    text = f"""\
        from flax import nnx


        class Part(nnx.Module):
            def __init__(self, {parameter}):
                {{}}

            def __call__(self):
                return self.rngs.noise()


        class Model(nnx.Module):
            def __init__(self, rngs: nnx.Rngs):
                self.one = Part(rngs)
                self.two = Part(rngs)
        """
    file = tmp_path / "part.py"
    shape = textwrap.dedent(text)
    file.write_text(shape.format(store))
    command("apply", "part.py", "--allow", "fork-rngs")
    assert file.read_text() == shape.format(after)


BASE = """\
from flax import nnx


class Base(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.rngs = rngs
"""
FROM_BASE = """\
import jax
from flax import nnx

from base import Base


class Noise(Base):
    def __init__(self, scale, *, rngs):
        super().__init__(rngs=rngs)
        self.scale = scale

    def __call__(self, x):
        return x + self.scale * self.rngs.noise.normal(x.shape)


class Block(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.noise = Noise(1.0, rngs=rngs)

    def __call__(self, x):
        return self.noise(self.linear(x))
"""


@pytest.fixture
def project_with_a_base(tmp_path: Path) -> Path:
    folder = write_three_files(tmp_path / "src", layers=FROM_BASE, model=MODEL, main=MAIN)
    (folder / "base.py").write_text(BASE)
    return folder


def test_a_class_above_them_keeps_the_fork(command: Command, project_with_a_base: Path) -> None:
    assert command("apply", "src", "--allow", "fork-rngs").code == 0
    after = (project_with_a_base / "base.py").read_text()
    assert after == BASE.replace("= rngs\n", "= rngs.fork()\n")
    assert (project_with_a_base / "layers.py").read_text() == FROM_BASE
    assert "compat" not in (project_with_a_base / "main.py").read_text()


@pytest.mark.runs_jax
def test_it_runs_where_a_class_above_keeps_the_fork(
    command: Command, project_with_a_base: Path
) -> None:
    check_runs_in_both_modes(command, project_with_a_base, "--allow", "fork-rngs")


def test_an_rngs_that_one_object_keeps_stays_the_same(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "main.py"
    text = LAYERS.split("class Block")[0] + "noise = Noise(1.0, rngs=nnx.Rngs(0))\n"
    file.write_text(text)
    command("apply", "main.py", "--allow", "fork-rngs")
    assert file.read_text() == text


def test_what_is_no_module_keeps_what_it_is_given(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "plain.py"
    text = "from flax import nnx\n\n\nclass Plain:\n    def __init__(self, rngs: nnx.Rngs):\n"
    file.write_text(text + "        self.rngs = rngs\n")
    command("apply", "plain.py", "--allow", "fork-rngs")
    assert file.read_text() == text + "        self.rngs = rngs\n"


@pytest.mark.runs_jax
def test_it_runs_in_both_modes(command: Command, project: Path) -> None:
    check_runs_in_both_modes(command, project, "--allow", "fork-rngs")
