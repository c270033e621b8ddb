"""A pin sets graph mode for what runs inside its function only where that may depend on it."""

from __future__ import annotations

import pytest

from tests.hazards.running import migrated, migrated_files
from tests.hazards.test_soundness import PROGRAMS

_NAMES = sorted(name for name in PROGRAMS if name.startswith("settled_inside-"))
_OTHER = """\
from flax import nnx


def leaves(net):
    return nnx.state(net, nnx.Param)
"""
_STEP = """\
from flax import nnx

from other import leaves


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.calls = 0


@nnx.jit
def step(net: Net):
    net.calls += 1
    return leaves(net)


step(Net(nnx.Rngs(0)))
"""


@pytest.mark.parametrize("name", _NAMES)
def test_graph_mode_is_set_where_something_inside_may_depend_on_it(name: str) -> None:
    after = migrated(PROGRAMS[name]).after.decode()
    assert "@nnx.compat.jit" in after
    assert ("set_graph_updates" in after) == ("-set_" in name)


def test_graph_mode_is_set_where_another_file_says_what_runs_inside() -> None:
    results = migrated_files({"main.py": _STEP, "other.py": _OTHER})
    assert "@nnx.set_graph_mode(True)\n" in results["main.py"].after.decode()
