"""Objects that a Module keeps under two names: a property reads the second one, or both stay."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult
from tests.hazards.running import migrated, settled, verdicts

PROGRAM = """\
import jax, jax.numpy as jnp
from flax import nnx

class Base(nnx.Module):
    ABOVE

class Net(Base):
    def __init__(self, wide: bool, rngs: nnx.Rngs):
        self.inner = nnx.MultiHeadAttention(1, 2, decode=False, rngs=rngs)
        self.drop = nnx.Dropout(0.5, rngs=rngs)
        self.FIRST = nnx.Linear(2, 2, rngs=rngs)
        SECOND

    def __call__(self, x):
        return self.drop(self.zeta(self.FIRST(self.inner(x))))

    MORE

class Below(Net):
    BELOW

@nnx.jit
def forward(net: Net, x):
    return net(x)

def main():
    net = KIND(True, nnx.Rngs(0))
    x = jnp.ones((1, 2, 2))
    USE
    paths = sorted("/".join(map(str, path)) for path, _ in nnx.to_flat_state(nnx.state(net)))
    return [forward(net, x) for _ in range(2)], nnx.state(net), paths
"""
PLAIN = {
    "FIRST": "first",
    "SECOND": "self.zeta = self.first",
    "KIND": "Net",
    **dict.fromkeys(("ABOVE", "MORE", "BELOW", "USE"), "pass"),
}


def program(**parts: str) -> str:
    text = PROGRAM
    for name, part in (PLAIN | parts).items():
        text = text.replace(name, part)
    return text


#: What reads the second name.
READ = {
    "right behind": ({}, "def zeta(self) -> nnx.Linear:\n        return self.first"),
    "annotated": (
        {"SECOND": "self.zeta: nnx.Module = self.first"},
        "def zeta(self) -> nnx.Module:\n        return self.first",
    ),
    "with a comment behind it": (
        {"SECOND": "self.zeta = self.first  # of an older version"},
        "def zeta(self) -> nnx.Linear:\n        return self.first",
    ),
    "a part of a layer": (
        {"SECOND": "self.query = self.inner.query\n        self.zeta = jnp.sin"},
        "def query(self):\n        return self.inner.query",
    ),
    "the name that comes later": (
        {"FIRST": "zeta", "SECOND": "self.first = self.zeta"},
        "def zeta(self) -> nnx.Linear:\n        return self.first",
    ),
    "under a condition with it": (
        {
            "SECOND": "if wide:\n            self.more = nnx.Linear(2, 2, rngs=rngs)\n"
            "            self.zeta = self.more"
        },
        "def zeta(self) -> nnx.Linear:\n        return self.more",
    ),
    "a Variable": (
        {
            "SECOND": "self.w = nnx.Param(jnp.ones(2))\n        self.weight = self.w\n"
            "        self.zeta = jnp.sin",
        },
        "def weight(self) -> nnx.Param:\n        return self.w",
    ),
    "read before the end": (
        {"SECOND": "self.zeta = self.first\n        self.size = self.zeta.in_features"},
        "def zeta(self) -> nnx.Linear:\n        return self.first",
    ),
    "of all below": (
        {"KIND": "Below"},
        "def zeta(self) -> nnx.Linear:\n        return self.first",
    ),
    "written in place": (
        {"USE": "net.zeta.kernel[...] = jnp.ones((2, 2))"},
        "def zeta(self) -> nnx.Linear:\n        return self.first",
    ),
}
#: Both names stay.
KEPT = {
    "the second is set from outside": {"USE": "net.zeta = nnx.Linear(2, 2, rngs=nnx.Rngs(1))"},
    "the first is set from outside": {"USE": "net.first = nnx.Linear(2, 2, rngs=nnx.Rngs(1))"},
    "set by name": {"USE": "setattr(net, 'zeta', nnx.Linear(2, 2, rngs=nnx.Rngs(1)))"},
    "set by a method": {
        "MORE": "def reset(self, rngs):\n        self.zeta = nnx.Linear(2, 2, rngs=rngs)",
        "USE": "net.reset(nnx.Rngs(2))",
    },
    "set by a class below": {
        "BELOW": "def __init__(self, wide, rngs):\n        super().__init__(wide, rngs)\n"
        "        self.first = nnx.Linear(2, 2, rngs=rngs)",
        "KIND": "Below",
    },
    "deleted": {"USE": "del net.zeta; net.zeta = jnp.sin"},
    "the part is set": {
        "SECOND": "self.zeta = self.inner.out",
        "USE": "net.inner.out = nnx.Linear(2, 2, rngs=nnx.Rngs(1))",
    },
    "another path": {"SECOND": "self.aaa = self.inner.out\n        self.zeta = jnp.sin"},
    "under a condition": {
        "SECOND": "if wide:\n            self.zeta = self.first\n        else:\n"
        "            self.zeta = nnx.Linear(2, 2, rngs=rngs)"
    },
    "in a loop": {"SECOND": "for _ in range(1):\n            self.zeta = self.first"},
    "a name of the class": {"ABOVE": "zeta = None"},
    "declared above": {"ABOVE": "zeta: nnx.Linear"},
    "its own attributes": {
        "MORE": "def __getattr__(self, name):\n        raise AttributeError(name)"
    },
    "listed": {
        "MORE": "def parts(self):\n        return sorted(vars(self))",
        "USE": "print(net.parts())",
    },
    "silenced": {"SECOND": "self.zeta = self.first  # nnx-migrate: ignore[shared-reference]"},
}


def case(parts: dict[str, str]) -> FileResult:
    return migrated(program(**parts))


@pytest.mark.parametrize("name", READ)
def test_a_property_reads_it(name: str) -> None:
    parts, text = READ[name]
    result = case(parts)
    after = result.after.decode()
    assert f"    @property\n    {text}\n" in after
    assert "graph" not in after
    assert settled(result)


@pytest.mark.parametrize("comment", ["", "# old\n        "])
def test_a_comment_goes_with_it(comment: str) -> None:
    result = case({"SECOND": f"{comment}self.zeta = self.first  # old"})
    after = result.after.decode()
    assert "    # old\n    @property\n" in after
    assert settled(result)


@pytest.mark.parametrize("name", KEPT)
def test_both_names_stay(name: str) -> None:
    after = case(KEPT[name]).after.decode()
    assert "@property" not in after
    assert "graph" in after or "compat" in after


@pytest.mark.runs_jax
def test_they_compute_the_same(tmp_path: Path) -> None:
    names = {**{n: parts for n, (parts, _) in READ.items()}, **KEPT}
    programs = {name.replace(" ", "_"): case(parts) for name, parts in names.items()}
    found = verdicts(programs, tmp_path)
    assert {name: why for name, why in found.items() if why} == {}
