"""What is found, said and written does not depend on the order of Python's sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.hazards.test_soundness import PROGRAMS

#: Several places say the same of one object.
SEVERAL_REASONS = """
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.a = nnx.Linear(2, 2, rngs=rngs)
        self.b = nnx.Linear(2, 2, rngs=rngs)
        self.c = nnx.Linear(2, 2, rngs=rngs)

class Holder:
    pass

def tied(net: Net):
    net.b = net.a
    net.c.kernel = net.a.kernel
    net.c.bias = net.a.bias
    return nnx.state(net)

def keep(model, holder):
    holder.model = model

def keep_too(model, holder):
    holder.other = model

@nnx.jit
def step(net: Net, holder: Holder):
    keep(net, holder)
    keep_too(net, holder)
    return net
"""


def test_every_hash_seed_gives_the_same(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, source in {**PROGRAMS, "several_reasons": SEVERAL_REASONS}.items():
        folder = tmp_path / "src" / name
        folder.mkdir(parents=True)
        (folder / "main.py").write_text(source)
    found = set()
    for seed in ("1", "2", "3", "4"):
        monkeypatch.setenv("PYTHONHASHSEED", seed)
        done = command("apply", "src", "--check", "--format", "json", "--jobs", "1")
        assert done.code == 1, done.err
        found.add(done.out)
    assert len(found) == 1
