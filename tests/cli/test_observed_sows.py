"""A conditional `sow` that no run has made does not keep a place in graph mode, and is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Command, Observe
from tests.cli.facts import findings, suite_passes, write_facts

SOWING = """\
import jax.numpy as jnp
from flax import nnx


class Net(nnx.Module):
    def __init__(self, kept=None):
        self.w = nnx.Param(jnp.ones(()))
        self.seen = nnx.BatchStat(jnp.ones(()))
        self.kept = kept

    def __call__(self, x):
        if self.kept is not None:
            self.sow(self.kept, "h", x)
        return self.w * x


def step(model: Net, x):
    return nnx.jit(lambda m, y: m(y))(model, x)


def gradient(model: Net, x):
    return nnx.grad(lambda m: m(x))(model)
"""
CALL = {"model": ["net.py::Net"], "x": ["array"]}
FUNCTIONS = {"step": CALL, "gradient": CALL, "Net.__call__": {"x": ["array"]}}
JIT, GRAD = 18, 22
NEVER = "observed: sow in __call__ never ran in 1 call of it"


def told(finding: dict[str, Any]) -> list[str]:
    return [f"{each['proof']}: {each['claim']}" for each in finding["evidence"]]


def test_a_sow_that_never_ran_does_not_pin(tmp_path: Path, command: Command) -> None:
    (tmp_path / "net.py").write_text(SOWING)
    plain = findings(command)
    assert plain[JIT]["outcome"] != "same"
    assert plain[GRAD]["outcome"] == "pinned"

    write_facts(tmp_path, SOWING, FUNCTIONS, sows={"Net.__call__": [False]})
    found = findings(command, "--facts", "facts.json")
    assert (found[JIT]["outcome"], found[GRAD]["outcome"]) == ("same", "rewritten-checked")
    for each in found.values():
        assert NEVER in told(each)
        assert "observed in 1 call" in each["message"]
    assert any(each.startswith("checked when traced") for each in told(found[GRAD]))


@pytest.mark.parametrize(
    ("functions", "sows"),
    [
        (FUNCTIONS, {"Net.__call__": [True]}),  # it ran
        (FUNCTIONS, {"Net.__call__": []}),  # the recorder knows of none
        (FUNCTIONS, {"Net.__call__": [False, False]}),  # of another file
        ({"step": CALL, "gradient": CALL}, {}),  # nobody called what sows
    ],
)
def test_a_sow_of_which_that_is_not_known_pins(
    tmp_path: Path,
    command: Command,
    functions: dict[str, dict[str, list[str]]],
    sows: dict[str, list[bool]],
) -> None:
    (tmp_path / "net.py").write_text(SOWING)
    plain = {line: each["outcome"] for line, each in findings(command).items()}
    write_facts(tmp_path, SOWING, functions, sows=sows)
    found = findings(command, "--facts", "facts.json")
    assert {line: each["outcome"] for line, each in found.items()} == plain


SEVERAL = """\
from flax import nnx


class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(1.0)

    def __call__(self, x, first, second):
        if first: self.sow(nnx.Intermediate, "a", x); self.sow(nnx.Intermediate, "b", x)
        second and self.perturb("c", x)
        return [self.sow(nnx.Intermediate, "d", x) for _ in range(second)]

    def twice(self, x):
        def inner():
            return super(Net, self).sow(nnx.Intermediate, "e", x)
        return inner() if x is None else lambda: self.sow(nnx.Intermediate, "f", x)


net = Net()
net(1.0, False, 0)
net.twice(2)
"""


@pytest.mark.runs_jax
@pytest.mark.parametrize(
    ("more", "sows", "inner"),
    [
        ("", [False, False, False, False], None),
        ("net(1.0, True, 0)\n", [True, True, False, False], None),
        ("net(jnp.ones(()), False, 2)\nnet.twice(None)\n", [False, False, True, True], [True]),
    ],
)
def test_which_calls_of_sow_ran_is_kept(
    tmp_path: Path, more: str, sows: list[bool], inner: list[bool] | None, observe: Observe
) -> None:
    (tmp_path / "run.py").write_text(f"import jax.numpy as jnp\n{SEVERAL}{more}")
    observe("run.py")
    functions = observe("run.py", of="run.py")  # they add up
    assert functions["Net.__call__"]["sows"] == sows
    assert "sows" not in functions["Net.twice"]
    assert functions.get("Net.twice.inner", {}).get("sows") == inner


TESTS = """\
import jax.numpy as jnp
import net
from flax import nnx


def test_step():
    model = net.Net()
    assert net.step(model, jnp.ones(())) == 1
    assert nnx.pop(model, nnx.Intermediate) == {}


def test_gradient():
    assert net.gradient(net.Net(), jnp.ones(()))["w"][...] == 1
"""
# What no run has shown: where a check is written, it says so instead of losing what is sown.
UNSEEN = """

def test_unseen():
    with pytest.raises(ValueError, match="must keep its structure"):
        net.gradient(net.Net(nnx.Intermediate), jnp.ones(()))
"""


@pytest.mark.runs_jax
def test_what_runs_never_sow_is_migrated_and_checked(
    tmp_path: Path, command: Command, observe: Observe
) -> None:
    (tmp_path / "net.py").write_text(SOWING)
    (tmp_path / "test_net.py").write_text(TESTS)
    observe("-m", "pytest", "-q", "test_net.py")
    assert command("apply", "net.py", "--facts", "facts.json").code == 0
    assert (tmp_path / "net.py").read_text() != SOWING
    for graph in ("true", "false"):
        suite_passes(tmp_path, graph)
    (tmp_path / "test_net.py").write_text(f"import pytest\n{TESTS}{UNSEEN}")
    for graph in ("true", "false"):
        suite_passes(tmp_path, graph)
