"""What scans over layers copy: compiled temporary bytes, as parts of the bytes of the Params."""

from __future__ import annotations

import pytest

from nnx_migrate.check.compare.forms import Plain
from nnx_migrate.check.jobs import Mode
from tests.golden.cases import GOLDEN
from tests.golden.columns import run_programs

_CASE = GOLDEN / "captured-module" / "scan-in-scan"
_DRIVE = _CASE / "memory.py"


def _measured(side: str, mode: Mode) -> dict[str, float | None]:
    """The temporary bytes of each step, divided by those of all layers; None where it raises."""
    result = run_programs([("case", _CASE / f"{side}.py", _DRIVE)], mode)["case"]
    assert result.form is not None, result.error
    # A leaf is "int 1024", or "NoneType None".
    sizes = {
        path: leaf.text.split()[-1]
        for path, leaf in result.form.items()
        if path and isinstance(leaf, Plain)
    }
    whole = float(sizes["Tower params"])
    return {
        name: None if size == "None" else float(size) / whole
        for name, size in sizes.items()
        if not name.endswith("params")
    }


@pytest.mark.runs_jax
def test_scans_in_scans_copy_no_layers() -> None:
    before = _measured("before", "graph")
    graph, tree = _measured("after", "graph"), _measured("after", "tree")
    # A scan that captured the scanned layers raised; now it needs a layer, not all of them.
    for name in ("Tower forward", "Rematerialised forward"):
        assert before[name] is None
        assert (graph[name] or 1) < 0.1
        assert (tree[name] or 1) < 0.1
    # nnx.scan(nnx.remat(f)) copies all layers in graph mode, and needs one of them in tree mode.
    assert (before["Rematerialised two calls"] or 0) > 1
    assert (tree["Rematerialised two calls"] or 1) < 0.1
    assert (graph["Rematerialised gradient"] or 0) > 1
    assert (tree["Rematerialised gradient"] or 1) < 0.1
