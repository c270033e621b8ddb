"""A notebook over objects that a file beside it holds: what that file does with them counts."""

from __future__ import annotations

import json
from pathlib import Path

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


def _findings(folder: Path, *targets: str) -> list[Finding]:
    cells: list[dict[str, object]] = [
        {"cell_type": "code", "metadata": {}, "source": c, "outputs": [], "execution_count": None}
        for c in CELLS
    ]
    metadata = {"language_info": {"name": "python"}}
    notebook = {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    (folder / "work.ipynb").write_text(json.dumps(notebook))
    (folder / "state.py").write_text(STATE)
    result = run([folder / target for target in targets], Configuration(), write=None, jobs=1)
    return [f for each in result.results if each.path.suffix == ".ipynb" for f in each.findings]


def test_what_another_file_reads_is_seen_from_a_notebook(tmp_path: Path) -> None:
    for targets in (("work.ipynb", "state.py"), ("work.ipynb",)):
        left, passed = _findings(tmp_path, *targets)
        assert left.outcome is Outcome.MANUAL
        assert "net is read from outside" in left.message
        assert passed.outcome is Outcome.REWRITTEN
