"""`nnx.call` takes no mode: what is shared in the object that it calls is reported, and no more."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Finding, Outcome
from tests.hazards.running import migrated

HEAD = """
from flax import nnx

class Tied(nnx.Module):
    def __init__(self):
        self.a = nnx.Param(1.0)
        self.b = getattr(self, "a")

class Net(nnx.Module):
    def __init__(self):
        self.a = nnx.Param(1.0)

def both(pair):
    return nnx.call(pair)(1)
"""
SHARED = {
    "one name": "pair = nnx.split(Tied())\nnnx.call(pair)(1)",
    "two names": "g, s = nnx.split(Tied())\nnnx.call((g, s))(1)",
    "said by the split": "g, s = nnx.split(Tied(), graph=True)\nnnx.call((g, s))(1)",
}
OTHERS = {
    "not shared": "pair = nnx.split(Net())\nnnx.call(pair)(1)",
    "graph mode around it": "with nnx.set_graph_mode(True):\n    nnx.call(nnx.split(Tied()))(1)",
    "not seen": "import elsewhere\nnnx.call(elsewhere.pair)(1)",
}


def _manual(body: str) -> list[Finding]:
    findings = migrated(f"{HEAD}\n{body}\n").findings
    return [f for f in findings if f.outcome is Outcome.MANUAL]


@pytest.mark.parametrize("case", SHARED)
def test_shared_objects_are_reported(case: str) -> None:
    (finding,) = _manual(SHARED[case])
    assert finding.ways_out == ("call its result under `with nnx.set_graph_mode(True):`",)


@pytest.mark.parametrize("case", OTHERS)
def test_others_are_not(case: str) -> None:
    assert _manual(OTHERS[case]) == []
