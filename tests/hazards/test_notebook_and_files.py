"""A notebook over objects that a file beside it holds: what that file does with them counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nnx_migrate.core.findings import Finding, Outcome
from nnx_migrate.engine.run import run
from nnx_migrate.sources.configuration import Configuration

STATE = """
import jax, jax.numpy as jnp
from flax import nnx
class Net(nnx.Module):
    def __init__(self):
        self.calls = nnx.Variable(jnp.array(0.0))
    def __call__(self, x):
        self.calls[...] += 1
        return x
net = Net()
def count():
    return net.calls[...]
"""
CELLS = (
    "import jax, jax.numpy as jnp\nfrom flax import nnx\nfrom state import net, count",
    "@nnx.vmap\ndef stale(x: jax.Array):\n    return net(x) + count()\nstale(jnp.ones(2))",
    "@nnx.vmap\ndef alone(x: jax.Array):\n    return net(x)\nalone(jnp.ones(2))",
)


COUNTING = """
from flax import nnx
class Counting(nnx.Module):
    def __call__(self, x):
        self.n = 1
        return x
"""
STEP = "from flax import nnx\n@nnx.jit\ndef step(m, x):\n    return m(x)\n"


def _write_notebook(path: Path, *sources: str) -> None:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "source": c, "outputs": [], "execution_count": None}
        for c in sources
    ]
    metadata = {"language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    path.write_text(json.dumps(notebook))


def _findings(folder: Path, *targets: str) -> list[Finding]:
    _write_notebook(folder / "work.ipynb", *CELLS)
    (folder / "state.py").write_text(STATE)
    result = run([folder / target for target in targets], Configuration(), write=None, jobs=1)
    return [f for each in result.results if each.path.suffix == ".ipynb" for f in each.findings]


def test_what_another_file_reads_is_seen_from_a_notebook(tmp_path: Path) -> None:
    for targets in (("work.ipynb", "state.py"), ("work.ipynb",)):
        left, passed = _findings(tmp_path, *targets)
        assert left.outcome is Outcome.MANUAL
        assert "net is read from outside" in left.message
        assert passed.outcome is Outcome.REWRITTEN


@pytest.mark.parametrize(
    ("asking", "holding", "pinned"),
    [
        ("work.ipynb", "other.ipynb", False),
        ("work.ipynb", "other.md", False),
        ("work.ipynb", "work.ipynb", True),
        ("work.ipynb", "other.py", False),
        ("work.py", "other.ipynb", True),
    ],
)
def test_a_notebook_runs_nothing_that_it_does_not_import(
    tmp_path: Path, asking: str, holding: str, pinned: bool
) -> None:
    cells: dict[str, list[str]] = {}
    cells.setdefault(holding, []).append(COUNTING)
    cells.setdefault(asking, []).append(STEP)
    for name, sources in cells.items():
        path = tmp_path / name
        if path.suffix == ".ipynb":
            _write_notebook(path, *sources)
        elif path.suffix == ".md":
            path.write_text("".join(f"```python\n{each}\n```\n" for each in sources))
        else:
            path.write_text("\n".join(sources))
    result = run([tmp_path], Configuration(), write=None, jobs=1)
    found = [f for each in result.results if each.path.name == asking for f in each.findings]
    assert [each.outcome for each in found] == [Outcome.PINNED] * pinned


@pytest.mark.parametrize(("holding", "pinned"), [("other.ipynb", False), ("work.ipynb", True)])
def test_any_module_is_none_of_another_notebook(tmp_path: Path, holding: str, pinned: bool) -> None:
    touching = """
from flax import nnx
class Touching(nnx.Module):
    def __call__(self, given):
        given.n = 1
        return given.x
"""
    step = (
        "from flax import nnx\nclass Net(nnx.Module):\n    pass\n@nnx.jit\n"
        "def step(net: Net):\n    return make()(net)\n"
        "def make() -> nnx.Module:\n    return build()\n"
    )
    _write_notebook(tmp_path / "work.ipynb", step, *([touching] if holding == "work.ipynb" else []))
    if holding != "work.ipynb":
        _write_notebook(tmp_path / holding, touching)
    result = run([tmp_path], Configuration(), write=None, jobs=1)
    found = [f for e in result.results if e.path.name == "work.ipynb" for f in e.findings]
    assert [each.outcome for each in found] == [Outcome.PINNED] * pinned
