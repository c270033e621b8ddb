"""Projects of three files: layers, a model of them, and a program that runs in both modes after."""

from __future__ import annotations

from pathlib import Path

from tests.cli.conftest import Command
from tests.golden.columns import run_matrix

#: A model of two blocks, which are made in `layers.py`.
TWO_BLOCKS = """\
from flax import nnx

from layers import Block


class Model(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.blocks = nnx.List([Block(rngs=rngs) for _ in range(2)])

    def __call__(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""
_DRIVE = "def drive(program):\n    return program.main()\n"


def write_three_files(folder: Path, *, layers: str, model: str, main: str) -> Path:
    """Write `layers.py`, `model.py` and `main.py` into a new folder."""
    folder.mkdir()
    for name, text in {"layers": layers, "model": model, "main": main}.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def check_runs_in_both_modes(
    command: Command, project: Path, *options: str, drive: str = _DRIVE
) -> None:
    """Migrate a project, which then computes the same in both modes; before, tree mode refuses it.

    Args:
        command: of the test.
        project: a folder that lies in that of the test, with a `main` in `main.py`.
        options: of `apply`.
        drive: a program that calls `main`.
    """
    before = project.with_name("before")
    before.mkdir()
    for file in project.iterdir():
        (before / file.name).write_bytes(file.read_bytes())
    assert command("apply", project.name, *options).code == 0
    driver = project.with_name("drive.py")
    driver.write_text(drive)
    jobs = {side: [("it", folder, driver)] for side, folder in (("b", before), ("a", project))}
    found = run_matrix([(jobs["b"], "graph"), (jobs["a"], "graph"), (jobs["a"], "tree")])
    forms = [each["it"].form for each in found]
    assert forms[0] is not None, found[0]["it"].error
    assert forms == [forms[0]] * 3, [each["it"].error for each in found]
    assert run_matrix([(jobs["b"], "tree")])[0]["it"].form is None, "tree mode takes it as it was"
