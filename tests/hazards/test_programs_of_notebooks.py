"""What is called in a notebook and not known may be what it imports, and nothing else in sight."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nnx_migrate.core.findings import Outcome
from nnx_migrate.engine.run import run
from nnx_migrate.sources.configuration import Configuration

_NETS = """\
from flax import nnx


class Net(nnx.Module):
    def __call__(self, x):
        self.last = x
        return x
"""
_CELLS = """\
import outside
import pk.other
from flax import nnx
{more}

@nnx.jit
def step(model, x):
    return model(x)

step(outside.model(), 1.0)
"""


def _notebook(source: str) -> bytes:
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": []}
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, indent=1).encode()


@pytest.mark.parametrize(
    ("more", "files", "pinned"),
    [
        pytest.param("", {}, False, id="beside what is imported"),
        pytest.param("import pk.nets", {}, True, id="imported"),
        pytest.param("", {"pk/__init__.py": "from pk import nets\n"}, True, id="by a package"),
        pytest.param(
            "import tour", {"tour.py": "from pk.nets import Net\n"}, True, id="through another file"
        ),
        pytest.param("import importlib", {}, True, id="at run time"),
        pytest.param(
            "import tour", {"tour.py": "def f(n):\n    return __import__(n)\n"}, True, id="by text"
        ),
        pytest.param("%run pk/nets.py", {}, True, id="by a magic"),
        pytest.param("import nets", {}, True, id="by an inner name"),
    ],
)
def test_what_a_notebook_may_run(
    more: str, files: dict[str, str], pinned: bool, tmp_path: Path
) -> None:
    sources = {"pk/nets.py": _NETS, "pk/other.py": "from flax import nnx\n", **files}
    sources.setdefault("pk/__init__.py", "")
    for name, text in sources.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "notebook.ipynb").write_bytes(_notebook(_CELLS.format(more=more)))
    results = run([tmp_path], Configuration(), write=None).results
    found = [finding for result in results for finding in result.findings]
    outcomes = [finding.outcome for finding in found if finding.outcome is not Outcome.SAME]
    assert outcomes == [Outcome.PINNED] * pinned


_OUTER = """
from flax import nnx

class Outer(nnx.Module):
    def __init__(self, held):
        self.held = held

    @nnx.remat
    def __call__(self, x):
        return x
"""
_LAZY = """
import elsewhere
from flax import nnx

dense = nnx.bridge.ToNNX(elsewhere.Linen(), rngs=nnx.Rngs(0))
nnx.bridge.lazy_init(elsewhere.some(), 1.0)
"""


@pytest.mark.parametrize(
    ("notebooks", "pinned"),
    [
        pytest.param((_OUTER, _LAZY), False, id="of another notebook"),
        pytest.param((_LAZY + _OUTER,), True, id="of the same notebook"),
    ],
)
def test_what_lazy_init_may_run_in_a_notebook(
    notebooks: tuple[str, ...], pinned: bool, tmp_path: Path
) -> None:
    for number, source in enumerate(notebooks):
        (tmp_path / f"{number}.ipynb").write_bytes(_notebook(source))
    results = run([tmp_path], Configuration(), write=None).results
    found = [finding for result in results for finding in result.findings]
    assert [finding.outcome for finding in found] == [Outcome.PINNED] * pinned
