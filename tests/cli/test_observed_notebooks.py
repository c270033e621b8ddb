"""Cells of notebooks are watched where IPython compiles them, as Jupyter's kernel does."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Observe

pytest.importorskip("IPython")

# What a kernel does with the cells that it is sent.
KERNEL = """\
import json, os, sys
os.environ["IPYTHONDIR"] = os.path.abspath("home")
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
for cell in json.load(open(sys.argv[1]))["cells"]:
    if cell["cell_type"] == "code":
        shell.run_cell("".join(cell["source"]), store_history=True).raise_error()
"""
MODEL = """\
from __future__ import annotations

import jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(()))

    def __call__(self, x):
        return self.w * x
"""
COMMON = "def common(one):\n    return one\n"


def notebook(file: Path, *cells: str) -> None:
    written: list[dict[str, object]] = [
        {
            "cell_type": "code",
            "execution_count": None,
            "metadata": {},
            "outputs": [],
            "source": cell.splitlines(keepends=True),
        }
        for cell in cells
    ]
    notes: list[dict[str, object]] = [
        {"cell_type": "markdown", "metadata": {}, "source": ["# Notes"]}
    ]
    told = {"cells": notes + written, "metadata": {}, "nbformat": 4, "nbformat_minor": 4}
    file.write_text(json.dumps(told, indent=1))


def test_functions_of_cells_are_watched(tmp_path: Path, observe: Observe) -> None:
    cells = (
        "class Net:\n    pass\n",
        "def given(one, two=None):\n    %pwd\n    return one",
        "given(Net(), given)\n",
        "def given_later(one):\n    return one\n\n\ngiven_later('secret')",
        COMMON,
        "common(1)",
    )
    notebook(tmp_path / "tour.ipynb", *cells)
    notebook(tmp_path / "other.ipynb", COMMON)
    (tmp_path / "kernel.py").write_text(KERNEL)
    seen = observe("kernel.py", "tour.ipynb")
    assert seen["tour.ipynb::given"]["parameters"] == {
        "one": ["tour.ipynb::Net"],
        "two": ["tour.ipynb::given()"],
    }
    assert seen["tour.ipynb::given_later"]["parameters"] == {"one": ["plain"]}
    # Which of the two notebooks the cell is of, nobody knows.
    assert not any(name.endswith("::common") for name in seen)
    assert "secret" not in (tmp_path / "facts.json").read_text()


def findings(command: Command, *options: str) -> list[dict[str, Any]]:
    done = command("apply", "tour.ipynb", "--check", "--format", "json", *options)
    found: list[dict[str, Any]] = json.loads(done.out)["files"][0]["findings"]
    return found


@pytest.mark.runs_jax
def test_a_notebook_is_migrated_by_what_it_showed(
    tmp_path: Path, command: Command, observe: Observe
) -> None:
    making = "model = globals()['Ne' + 't']()\n"
    grad = "def gradient(model, x):\n    return nnx.grad(lambda m: m(x))(model)\n"
    notebook(tmp_path / "tour.ipynb", MODEL, grad, making, "gradient(model, 2.0)")
    (tmp_path / "kernel.py").write_text(KERNEL)
    (before,) = findings(command)
    assert before["outcome"] == "pinned"
    observe("kernel.py", "tour.ipynb")
    (after,) = findings(command, "--facts", "facts.json")
    assert after["outcome"] == "rewritten-checked"
    assert "observed in 1 call" in after["message"]


@pytest.mark.runs_jax
def test_a_campaign_over_a_notebook(tmp_path: Path, command: Command) -> None:
    making = "model = globals()['Ne' + 't']()\n"
    shown = "def shown(model, x):\n    return nnx.grad(lambda m: m(x))(model)\n"
    proved = "def proved(model: Net, x):\n    return nnx.grad(lambda m: m(x))(model)\n"
    # What runs is another class from the second run on: the one that is checked.
    wrong = "def wrong(model, x):\n    return nnx.grad(lambda m: m(x))(model)\n"
    later = (
        "%time other = 1\n"
        "class Growing(nnx.Module):\n"
        "    def __init__(self):\n        self.w = nnx.Param(jnp.ones(()))\n\n"
        "    def __call__(self, x):\n        self.last = x\n        return self.w * x\n\n"
        "name = 'Growing' if __import__('os').path.exists('ran') else 'Net'"
    )
    calls = (
        "shown(model, 2.0)\nproved(Net(), 2.0)\nwrong(globals()[name](), 2.0)\n"
        "display(open('ran', 'a').write('x'))"
    )
    notebook(tmp_path / "tour.ipynb", MODEL, shown, proved, wrong, making, later, calls)
    before = (tmp_path / "tour.ipynb").read_bytes()
    (tmp_path / "kernel.py").write_text(KERNEL)
    done = command("campaign", "--", sys.executable, "kernel.py", "tour.ipynb", seconds=500)
    assert done.code == 0, done.said
    report = json.loads((tmp_path / ".nnx-migrate/campaign/report.json").read_text())
    # The notebook runs on the result in both modes.
    assert report["exit_codes"] == {"before": 0, "graph": 0, "tree": 0}
    ends = [(each["outcome"], each["verdict"], each["put_back"]) for each in report["places"]]
    # Recorded calls of what cells define are made again.
    *kept, (outcome, _, why) = ends
    assert kept == [("rewritten-checked", "proved", ""), ("rewritten", "proved", "")]
    assert outcome == "pinned"
    assert "without the pin, its calls differ (tour.ipynb:wrong#1" in why
    after = "".join(
        "".join(cell["source"])
        for cell in json.loads((tmp_path / "tour.ipynb").read_text())["cells"]
    )
    assert after.count("nnx.compat") == 1
    assert after.count("nnx.split") == 3
    assert sorted(each.name for each in tmp_path.glob("tour*")) == ["tour.ipynb"]
    assert command("undo", "last").code == 0
    assert (tmp_path / "tour.ipynb").read_bytes() == before
