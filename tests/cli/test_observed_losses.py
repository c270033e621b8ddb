"""What runs passed to a loss is what its gradient is taken with respect to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command
from tests.cli.facts import findings, write_facts

NET = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)
        self.seen = nnx.BatchStat(1.0)

    def __call__(self, x):
        return self.w * x


def make_loss():
    def loss(model, x):
        return model(x)

    return loss


def step(holder, x):
    return nnx.grad(make_loss())(holder.model, x)
"""
OTHER = """\
import net
from flax import nnx


def step(holder, x):
    return nnx.grad(net.make_loss())(holder.model, x)
"""
STEP = {"holder": ["other"], "x": ["array"]}
SITE = 21


@pytest.mark.parametrize(
    ("models", "outcome"),
    [
        (["net.py::Net"], "rewritten-checked"),
        # Something else came, too, or something that has no name here.
        (["array", "net.py::Net"], "pinned"),
        (["net.py::Net", "other"], "pinned"),
    ],
)
def test_an_argument_is_what_the_loss_got(
    tmp_path: Path, command: Command, models: list[str], outcome: str
) -> None:
    (tmp_path / "net.py").write_text(NET)
    assert findings(command)[SITE]["outcome"] == "pinned"
    loss = {"model": models, "x": ["array"]}
    functions = {"step": STEP, "make_loss.loss": loss, "Net.__call__": {"x": ["array"]}}
    write_facts(tmp_path, NET, functions)
    found = findings(command, "--facts", "facts.json")[SITE]
    assert found["outcome"] == outcome
    (tmp_path / "other.py").write_text(OTHER)
    done = command("apply", "other.py", "--check", "--format", "json", "--facts", "facts.json")
    (never,) = json.loads(done.out)["files"][0]["findings"]
    assert never["outcome"] == "pinned"
    assert "no recorded run calls it" in never["message"]
    told = [(each["proof"], each["claim"]) for each in found["evidence"]]
    assert (("observed", "argument 0 is Net") in told) == (outcome != "pinned")
