"""Runs to make review pages of."""

from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path
from typing import Any

from nnx_migrate.engine import run as engine
from nnx_migrate.report.html.checks import Checks
from nnx_migrate.report.html.page import render_page
from nnx_migrate.report.html.writing import review_of
from nnx_migrate.sources.configuration import Configuration

SAMPLE = Path(__file__).parents[2] / "examples" / "sample"
OWNERS = """\
* @everyone
ranker/ensemble.py @ensembles @models  # both
broken.py
"""
TRAIN = """\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


def train_step(model: Net, x):
    note = "{text}"

    def loss_fn(model: Net):
        return jnp.mean(model(x) ** 2)

    loss, grads = nnx.value_and_grad(loss_fn)(model)  # {text}
    return loss, grads
"""


def page_of(folder: Path, check: dict[str, Any] | None = None, *, on_unsafe: str = "pin") -> Path:
    """Write the page of a dry run over a folder, and return it.

    Args:
        folder: the project, which is a repository of its own.
        check: as `apply --verify` has it.
        on_unsafe: as the option of that name.
    """
    result = engine.run([folder], Configuration({"on_unsafe": on_unsafe}), write=None)
    checks = Checks(check, folder) if check else None
    review = dataclasses.replace(review_of(result, written=False), checks=checks)
    page = folder.parent / f"{folder.name}.html"
    page.write_text(render_page(review), encoding="utf-8", newline="\n")
    return page


def sample_page(folder: Path) -> Path:
    """Write the page of the sample project with two more files, after a check of three cases."""
    root = folder / "sample"
    shutil.copytree(SAMPLE, root)
    (root / ".git").mkdir()
    (root / "CODEOWNERS").write_text(OWNERS)
    (root / "broken.py").write_text("from flax import nnx\n\ndef step(:\n")
    (root / "left.py").write_text("# nnx-migrate: skip-file\nfrom flax import nnx\n")
    return page_of(root, CHECK)


def _column(verdict: str, reason: str = "", part: str = "") -> dict[str, Any]:
    difference = {"path": "0/kernel[1]", "old": "0.25 float32", "new": "0.5 float32", "ulps": 9}
    return {
        "verdict": verdict,
        "reason": reason,
        "part": part,
        "difference": difference if verdict == "different" else None,
        "notes": [],
        "proof": "",
        "repro": ".nnx-migrate/repro/case.py" if verdict == "different" else None,
    }


def _case(name: str, file: str, graph: str, tree: str) -> dict[str, Any]:
    return {
        "name": name,
        "verdict": tree,
        "files": {"old": [file, "ranker/model.py"], "new": [file, "ranker/model.py"]},
        "columns": {"new@graph": _column(graph), "new@tree": _column(tree, part="call")},
    }


CHECK: dict[str, Any] = {
    "cases": [
        _case("ranker/training.py:train_step#1", "ranker/training.py", "proved", "proved"),
        _case("ranker/training.py:finetune_step#1", "ranker/training.py", "equal", "different"),
        _case("cases.py:predict", "ranker/ensemble.py", "equal", "close"),
    ],
    "remarks": [],
    "unchecked": ["ranker/training.py:generic_step was never called"],
    "put_back": [],
    "not_put_back": [],
    "branches_not_taken": [],
}
