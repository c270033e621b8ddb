"""With `--allow drop-rngs`, Modules lose an Rngs that no method reads, in whichever file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.three_files import TWO_BLOCKS, check_runs_in_both_modes, write_three_files

LAYERS = """\
from flax import nnx


class Block(nnx.Module):
    def __init__(self, *, rngs: nnx.Rngs):
        self.rngs = rngs
        self.linear = nnx.Linear(2, 2, rngs=self.rngs)
        self.drop = nnx.Dropout(0.5, rngs=self.rngs)

    def __call__(self, x):
        return self.drop(self.linear(x))
"""
MODEL = TWO_BLOCKS
MAIN = """\
import jax.numpy as jnp
from flax import nnx

from model import Model


@nnx.jit
def forward(model: Model, x):
    return model(x)


def main():
    model = Model(nnx.Rngs(0))
    x = jnp.ones((2, 2))
    drawn = [forward(model, x), forward(model, x)]
    model.eval()
    return drawn, model(x), nnx.state(model, nnx.Param)
"""
ALLOWED = ("--allow", "drop-rngs")
DROPPED = LAYERS.replace("        self.rngs = rngs\n", "").replace("self.rngs", "rngs")
#: Gives each bit of what is computed.
DRIVE = """\
import jax
import numpy as np


def drive(program):
    return [np.asarray(each).tobytes().hex() for each in jax.tree.leaves(program.main())]
"""
#: Reads all paths of its State.
SAVING = """\
from flax import nnx

from model import Model


def save(model: Model):
    return nnx.to_flat_state(nnx.state(model))
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write_three_files(tmp_path / "src", layers=LAYERS, model=MODEL, main=MAIN)


def test_no_file_is_pinned_once_the_class_keeps_none(command: Command, project: Path) -> None:
    done = command("apply", "src", "--verbose", *ALLOWED)
    assert done.code == 0
    assert (project / "layers.py").read_text() == DROPPED
    assert (project / "model.py").read_text() == MODEL
    assert (project / "main.py").read_text() == MAIN
    assert "Block no longer keeps the Rngs that its constructor alone uses" in done.said
    assert "the path rngs leaves nnx.state" in done.said
    assert command("apply", "src", "--check").code == 0


def test_the_paths_of_a_state_stay_by_default(command: Command, project: Path) -> None:
    done = command("apply", "src", "--dry-run", "--output-format", "full", "--verbose")
    assert "help: or let the rewrite assume it: --allow drop-rngs" in done.said
    assert "without it, the path rngs leaves nnx.state" in done.said
    assert command("apply", "src").code == 0
    assert (project / "layers.py").read_text() == LAYERS
    assert "graph=True" in (project / "main.py").read_text()


def test_the_class_is_left_alone_where_its_file_is_not_named(
    command: Command, project: Path
) -> None:
    command("apply", "src/main.py", "src/model.py", *ALLOWED)
    assert (project / "layers.py").read_text() == LAYERS
    assert "graph=True" in (project / "main.py").read_text()


def test_an_answer_of_a_run_over_all_files_does_not_count_for_one(
    command: Command, project: Path
) -> None:
    assert "graph=True" not in command("apply", "src", "--diff", *ALLOWED).out.decode()
    assert "graph=True" in command("apply", "src/main.py", "--diff", *ALLOWED).out.decode()


def test_code_that_takes_the_whole_state_is_named(command: Command, project: Path) -> None:
    (project / "saving.py").write_text(SAVING)
    done = command("apply", "src", "--dry-run", "--output-format", "full", "--verbose")
    assert "help: or let the rewrite assume it: --allow drop-rngs" in done.said
    assert "nnx.state may take it with all other Variables (saving.py:7)" in done.said


@pytest.mark.parametrize("allowed", [ALLOWED, ("--unsafe",)])
def test_a_word_is_enough(command: Command, project: Path, allowed: tuple[str, ...]) -> None:
    (project / "saving.py").write_text(SAVING)
    done = command("apply", "src", "--verbose", *allowed)
    assert (project / "layers.py").read_text() == DROPPED
    assert (project / "main.py").read_text() == MAIN
    assert "drop-rngs is allowed: code that reads the attribute raises" in done.said


def test_a_pin_of_an_earlier_run_goes_with_the_attribute(command: Command, project: Path) -> None:
    (project / "saving.py").write_text(SAVING)
    command("apply", "src")
    assert "set_graph_mode" in (project / "main.py").read_text()
    command("apply", "src", *ALLOWED, "--unpin")
    text = (project / "main.py").read_text()
    assert "graph" not in text
    assert "compat" not in text


def test_what_a_method_reads_is_kept_whatever_is_allowed(command: Command, project: Path) -> None:
    reading = LAYERS + "\n    def draw(self):\n        return self.rngs.noise()\n"
    (project / "layers.py").write_text(reading)
    command("apply", "src", "--unsafe")
    assert (project / "layers.py").read_text() == reading


def test_a_notebook_that_reads_it_counts(command: Command, project: Path) -> None:
    (project / "look.ipynb").write_text(
        '{"cells": [{"cell_type": "code", "execution_count": null, "metadata": {}, "outputs": [],'
        ' "source": ["from layers import Block\\n", "def show(block: Block):\\n",'
        ' "    return block.rngs"]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}\n'
    )
    done = command("apply", "src", "--dry-run", "--verbose")
    assert "nnx-migrate cannot see what src/look.ipynb does with rngs" in done.said


@pytest.mark.runs_jax
def test_it_runs_in_both_modes(command: Command, project: Path) -> None:
    check_runs_in_both_modes(command, project, *ALLOWED, drive=DRIVE)
