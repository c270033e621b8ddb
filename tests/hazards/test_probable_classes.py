"""What a classmethod of a class gives is most probably of the class: looked at, and never proof."""

from __future__ import annotations

import pytest

from nnx_migrate.core.findings import Outcome
from tests.hazards.running import migrated, migrated_files

_HEAD = """
import jax
import jax.numpy as jnp
from flax import nnx
from unseen import Saved, build

class Net(nnx.Module):
    def __init__(self, rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.tied = {tied}
        self.dropout = nnx.Dropout(0.5, rngs=rngs)
        self.calls = 0
    def __call__(self, x):
        x = self.dropout(self.linear(x))
        self.sow(nnx.Intermediate, "h", x)
        return x
    def count(self, x):
        self.calls += 1
        return self.linear(x)
    @classmethod
    def from_config(cls, config):
        return build(cls, config)
    @classmethod
    def settings(cls) -> dict:
        return build(cls)
    @staticmethod
    def look(config):
        return build(config)

class Other(Saved, nnx.Module):
    def __init__(self, rngs):
        self.a = nnx.Linear(2, 2, rngs=rngs)
        self.b = getattr(self, "a")
"""
TIED, PLAIN = _HEAD.format(tied="getattr(self, 'linear')"), _HEAD.format(tied="None")
#: What makes a difference where the class is the one that is probable.
FOUND = {
    "state of it": "def run(c):\n    m = Net.from_config(c)\n    return nnx.state(m)",
    "by a function": (
        "def make(c):\n    return Net.from_config(c)\ndef run(c):\n    return nnx.state(make(c))"
    ),
    "of a base class that is not in sight": "def run(c):\n    return nnx.state(Other.from_file(c))",
    "in a method": (
        "@nnx.jit\ndef step(m, x):\n    return m.count(x)\n"
        "def run(c, x):\n    return step(Net.from_config(c), x)"
    ),
}
LEFT = {
    "a method that says what it gives": "def run(c):\n    return nnx.state(Net.settings())",
    "no method of the class": "def run(c):\n    return nnx.state(Net.look(c))",
    "a method that is not there": "def run(c):\n    return nnx.state(Net.gone(c))",
}
#: Each is rewritten where the class is known.
REWRITTEN = {
    "gradient": "    return nnx.grad(lambda m: m.linear(x).sum())(model)",
    "diff state": (
        "    wrt = nnx.DiffState(0, nnx.Param)\n"
        "    return nnx.grad(lambda m: m.linear(x).sum(), argnums=wrt)(model)"
    ),
    "axes": (
        "    axes = nnx.StateAxes({nnx.Param: None, ...: None})\n"
        "    return nnx.vmap(lambda m, x: m.linear(x), in_axes=(axes, 0))(model, x)"
    ),
    "broadcast": (
        "    def body(m, x):\n        return m.dropout(x)\n"
        "    return nnx.scan(body, in_axes=(None, 0), out_axes=0)(model, x)"
    ),
    "sown": (
        "    @nnx.jit\n    def step(m, x):\n        return m(x)\n"
        "    y = step(model, x)\n    return y, nnx.pop(model, nnx.Intermediate)"
    ),
}


@pytest.mark.parametrize("case", FOUND)
def test_a_difference_is_found(case: str) -> None:
    findings = migrated(TIED + FOUND[case]).findings
    assert [f.outcome for f in findings if f.rule != "module-gradient"]
    assert {f.outcome for f in findings} == {Outcome.PINNED}


@pytest.mark.parametrize("case", LEFT)
def test_what_may_be_anything_is_left_alone(case: str) -> None:
    assert not migrated(TIED + LEFT[case]).findings


def test_both_of_a_pair_are_found() -> None:
    files = {
        "api.py": TIED,
        "main.py": (
            "from flax import nnx\nimport api\n"
            "def load(path) -> api.Net:\n    return api.build(path)\n"
            "def compare(config, path):\n"
            "    model = api.Net.from_config(config)\n"
            "    restored = load(path)\n"
            "    return nnx.state(restored), nnx.state(model)\n"
        ),
    }
    after = migrated_files(files)["main.py"].after.decode()
    assert "nnx.compat.state(restored), nnx.compat.state(model)" in after


@pytest.mark.parametrize("case", REWRITTEN)
def test_it_proves_nothing(case: str) -> None:
    """What is rewritten is what is rewritten of an object of which nothing is known."""
    assert _rewritten(case, "Net(nnx.Rngs(0))")
    assert _rewritten(case, "Net.from_config(config)") == _rewritten(case, "build(config)")


def _rewritten(case: str, made: str) -> set[str]:
    body = f"def _run(config, x):\n    model = {made}\n{REWRITTEN[case]}\n"
    findings = migrated(f"{PLAIN}{body}_run(1, jnp.ones((2, 2)))\n").findings
    return {f.rule for f in findings if f.outcome is Outcome.REWRITTEN}


_STREAMS = """
from flax import nnx

class Block(nnx.Module):
    def __init__(self, rngs{given}):
        self.rngs = {kept}
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        return self.linear(x)

class Net(nnx.Module):
    def __init__(self, rngs{given}):
        self.a = Block(rngs)
        self.b = Block(rngs)

    def __call__(self, x):
        return self.b(self.a(x))

@nnx.jit
def step(model: Net, x):
    return model(x)
"""


@pytest.mark.parametrize(
    ("given", "kept", "outcomes"),
    [
        ("", "rngs", [Outcome.PINNED_MID]),
        ("=None", "rngs", [Outcome.PINNED_MID]),
        (": nnx.Rngs", "rngs", [Outcome.REWRITTEN]),
        ("", "rngs.fork()", []),
        (": int", "rngs", []),
    ],
)
def test_what_a_constructor_is_given_as_rngs_is_most_probably_an_rngs(
    given: str, kept: str, outcomes: list[Outcome]
) -> None:
    found = migrated(_STREAMS.format(given=given, kept=kept)).findings
    assert [each.outcome for each in found] == outcomes
    assert all(each.rule == "shared-reference" for each in found)
