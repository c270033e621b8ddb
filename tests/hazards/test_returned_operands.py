"""Objects that the branches of a conditional return: dropped where their names stand for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult
from tests.hazards.running import migrated, settled, verdicts

PROGRAM = """\
import dataclasses
import jax, jax.numpy as jnp, numpy as np
from flax import nnx, struct

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.steps[...] += 1
        return self.linear(x)

TREE

def run(model: Net, other: Net, due):
    x = jnp.ones((1, 2))
    kept = None
    MAKE
    for _ in range(2):
        BRANCHES
        CALL
    return REST, kept

def main():
    found = []
    for due in (0, 1):
        nets = [Net(nnx.Rngs(i)) for i in range(2)]
        found.append((run(*nets, jnp.array(due)), nets[0].steps[...], nets[1].steps[...]))
    return found
"""
BRANCHES = """\
def update(model: Net, other: Net):
    y = model(x)
    return model, other, y

def skip(a: Net, b: Net):
    return a, b, b(x)
"""
CALL = "model, other, y = nnx.cond(due == 1, update, skip, model, other)"
LESS = "y = nnx.cond(due == 1, update, skip, model, other)"
STANDING = {
    "TREE": "",
    "MAKE": "pass",
    "BRANCHES": BRANCHES,
    "CALL": CALL,
    "REST": "model(x), other(x), y",
}
RUN = """\
@struct.dataclass
class Run:
    net: Net
    step: jax.Array
"""
TREE = {
    "TREE": RUN,
    "MAKE": "run = Run(model, jnp.array(0))",
    "BRANCHES": """\
def update(run: Run):
    return run, run.net(x)

def skip(run: Run):
    return run, x * run.step
""",
    "CALL": "run, y = nnx.cond(due == 1, update, skip, run)",
    "REST": "type(run.step).__name__, model(x), y",
}
OF_THE_FILE = {
    "TREE": """\
def grow(net: Net, x):
    return net, net(x)

def keep(net: Net, x):
    return net, x
""",
    "BRANCHES": "pass",
    "CALL": "model, y = nnx.cond(due == 1, grow, keep, model, x)",
    "REST": "model(x), y",
}
PLAIN_CLASS = RUN.replace("@struct.dataclass", "@jax.tree_util.register_dataclass\n@FROZEN")


def program(parts: dict[str, str]) -> str:
    """Of lines with an indent of their own: what stands for several lines goes on below it."""
    lines = []
    for line in PROGRAM.splitlines():
        name = line.strip()
        indent = line[: len(line) - len(line.lstrip())]
        if name in STANDING:
            text = (STANDING | parts)[name]
            lines += [f"{indent}{each}" if each else "" for each in text.splitlines()]
        else:
            lines.append(line.replace("REST", (STANDING | parts)["REST"]))
    return "\n".join(lines) + "\n"


#: What becomes of the statement with the conditional.
DROPPED: dict[str, tuple[dict[str, str], str]] = {
    "two": ({}, LESS),
    "alone": (
        {
            "BRANCHES": "def update(net: Net):\n    net(x)\n    return net\n\n"
            "def skip(net: Net):\n    return net\n",
            "CALL": "model = nnx.cond(due == 1, update, skip, model)",
            "REST": "model(x)",
        },
        "nnx.cond(due == 1, update, skip, model)",
    ),
    "one of two": (
        {
            "BRANCHES": "def update(net: Net, x):\n    return net(x), net\n",
            "CALL": "y, model = nnx.cond(due == 1, update, lambda net, x: (x, net), model, x)",
        },
        "y = nnx.cond(due == 1, update, lambda net, x: x, model, x)",
    ),
    "lambdas": (
        {
            "BRANCHES": "pass",
            "CALL": "model, y = nnx.cond(\n"
            "    due == 1, lambda m: (m, m(x)), lambda m: (m, x), model\n)",
            "REST": "model(x), y",
        },
        "y = nnx.cond(due == 1, lambda m: m(x), lambda m: x, model)",
    ),
    "a switch": (
        {
            "BRANCHES": BRANCHES
            + "\ndef third(model: Net, other: Net):\n    return model, other, x\n",
            "CALL": "model, other, y = nnx.switch(due, [update, skip, third], model, other)",
        },
        "y = nnx.switch(due, [update, skip, third], model, other)",
    ),
    "nested": (
        {
            "BRANCHES": "def update(a: Net, b: Net):\n    return (a, (a(x), b)), x\n\n"
            "def skip(a: Net, b: Net):\n    return (a, (x, b)), b(x)\n",
            "CALL": "(model, (z, other)), y = nnx.cond(due == 1, update, skip, model, other)",
        },
        "z, y = nnx.cond(due == 1, update, skip, model, other)",
    ),
    "thrown away": (
        {"CALL": "nnx.cond(due == 1, update, skip, model, other); y = x"},
        "nnx.cond(due == 1, update, skip, model, other); y = x",
    ),
    "at both ends": (
        {
            "BRANCHES": "def update(a: Net, b: Net):\n    if x.ndim > 2:\n"
            "        return a, b, x\n    return a, b, a(x)\n\n"
            "def skip(a: Net, b: Net) -> tuple[Net, Net, jax.Array]:\n    return a, b, x\n",
        },
        LESS,
    ),
    "one function for both": (
        {"CALL": "model, other, y = nnx.cond(due == 1, update, update, model, other)"},
        "y = nnx.cond(due == 1, update, update, model, other)",
    ),
    "defined in two blocks": (
        {
            "BRANCHES": "if x.ndim == 2:\n"
            + "".join(f"    {each}\n" for each in [*BRANCHES.splitlines(), CALL])
            + "else:\n"
            + "".join(f"    {each}\n" for each in [*BRANCHES.splitlines(), CALL]),
            "CALL": "pass",
        },
        f"    {LESS}",
    ),
    "of the file": (OF_THE_FILE, "y = nnx.cond(due == 1, grow, keep, model, x)"),
    "a frozen tree": (TREE, "y = nnx.cond(due == 1, update, skip, run)"),
    "a named tuple": (
        {
            **TREE,
            "TREE": "from typing import NamedTuple\n\n"
            + RUN.replace("@struct.dataclass\n", "").replace("Run:", "Run(NamedTuple):"),
        },
        "y = nnx.cond(due == 1, update, skip, run)",
    ),
    "a tree in a tree": (
        {
            **TREE,
            "TREE": RUN + "\nclass Outer(struct.PyTreeNode):\n    run: Run\n    other: Net\n",
            "MAKE": "outer = Outer(Run(model, jnp.array(0)), other)",
            "BRANCHES": "def update(o: Outer):\n    return o, o.run.net(x)\n\n"
            "def skip(o: Outer):\n    return o, o.other(x)\n",
            "CALL": "outer, y = nnx.cond(due == 1, update, skip, outer)",
            "REST": "model(x), other(x), y",
        },
        "y = nnx.cond(due == 1, update, skip, outer)",
    ),
}
KEPT: dict[str, dict[str, str]] = {
    "bound anew": {
        "BRANCHES": BRANCHES.replace(
            "    y = model(x)", "    y = model(x)\n    model, other = other, model"
        ).replace("    return a, b, b(x)", "    a, b = b, a\n    return a, b, b(x)"),
    },
    "swapped": {
        "BRANCHES": BRANCHES.replace("return a, b", "return b, a").replace(
            "return model, other", "return other, model"
        ),
    },
    "other names": {
        "CALL": "a, b, y = nnx.cond(due == 1, update, skip, model, other)",
        "REST": "a(x), b(x), y",
    },
    "an attribute": {
        "MAKE": "class Holder: pass\nkeep = Holder()\nkeep.net = model",
        "CALL": "keep.net, other, y = nnx.cond(due == 1, update, skip, keep.net, other)",
    },
    "one name": {
        "CALL": "found = nnx.cond(due == 1, update, skip, model, other)",
        "REST": "found[0](x), found[2]",
    },
    "returned": {
        "CALL": "def chosen():\n    return nnx.cond(due == 1, update, skip, model, other)\n"
        "model, other, y = chosen()",
    },
    "called elsewhere": {
        "CALL": CALL + "\nkept = update(model, other)[0].steps[...]",
    },
    "of the file and called": {**OF_THE_FILE, "MAKE": "kept = grow(model, x)[0].steps[...]"},
    "of the file and offered": {
        **OF_THE_FILE,
        "TREE": "__all__ = ['grow']\n" + OF_THE_FILE["TREE"],
    },
    "of the file and bound twice": {
        **OF_THE_FILE,
        "TREE": OF_THE_FILE["TREE"] + "\nif jnp.ones(()) > 1:\n    grow = keep\n",
    },
    "of the file and recursive": {
        **OF_THE_FILE,
        "TREE": OF_THE_FILE["TREE"].replace(
            "    return net, net(x)",
            "    if x.ndim > 2:\n        return net, grow(net, x[0])[1]\n    return net, net(x)",
        ),
    },
    "kept elsewhere": {"CALL": "hold = update\n" + CALL},
    "decorated": {
        "BRANCHES": "@nnx.remat\n" + BRANCHES,
    },
    "a part beside it": {
        "BRANCHES": "def update(a: Net, b: Net):\n    a(x)\n    return a, a.linear\n\n"
        "def skip(a: Net, b: Net):\n    return a, a.linear\n",
        "CALL": "model, y = nnx.cond(due == 1, update, skip, model, other)",
        "REST": "model(x), y(x)",
    },
    "a tree with a number": {
        **TREE,
        "TREE": RUN.replace("step: jax.Array", "step: float"),
        "MAKE": "run = Run(model, 1.0)",
    },
    "a tree with a number for an array": {**TREE, "MAKE": "run = Run(model, 1)"},
    "a tree that gets a number": {
        **TREE,
        "CALL": TREE["CALL"] + "\nkept = type(run.step).__name__\nrun = run.replace(step=1)",
    },
    "a tree with a number by default": {
        **TREE,
        "TREE": RUN.replace("step: jax.Array", "step: jax.Array = 1"),
        "MAKE": "run = Run(model)",
    },
    "a tree with an array of numpy for one of jax": {
        **TREE,
        "MAKE": "run = Run(model, np.ones(()))",
    },
    "a tree with an array of numpy": {
        **TREE,
        "TREE": RUN.replace("step: jax.Array", "step: np.ndarray"),
        "MAKE": "run = Run(model, np.ones(()))",
    },
    "a tree that others change": {
        **TREE,
        "TREE": PLAIN_CLASS.replace("FROZEN", "dataclasses.dataclass"),
        "CALL": "before = run\n" + TREE["CALL"] + "\nrun.step = run.step + 1\nkept = before.step",
    },
    "a tree that a branch replaces": {
        **TREE,
        "BRANCHES": TREE["BRANCHES"].replace(
            "return run, run.net(x)", "return run.replace(step=run.step + 1), run.net(x)"
        ),
    },
    "a dictionary": {
        "BRANCHES": "def update(s):\n    s['n'] = s['n'] + 1\n    return s, s['net'](x)\n\n"
        "def skip(s):\n    return s, x\n",
        "MAKE": "s = {'net': model, 'n': jnp.array(0)}",
        "CALL": "s, y = nnx.cond(due == 1, update, skip, s)",
        "REST": "s['n'], model(x), y",
    },
    "a State": {
        "BRANCHES": "def update(s):\n    s['linear'].bias[...] += 1\n    return s\n\n"
        "def skip(s):\n    return s\n",
        "MAKE": "s = nnx.state(model)",
        "CALL": "s = nnx.cond(due == 1, update, skip, s)",
        "REST": "model(x), s['linear'].bias[...]",
    },
    "bound from within": {
        "MAKE": "def rebind():\n    nonlocal model\n    model = other\n",
        "CALL": "rebind() if x.ndim > 2 else None\n" + CALL,
    },
    "of a class": {
        "TREE": "shared = Net(nnx.Rngs(5))",
        "BRANCHES": "def update(net: Net):\n    return net, net(x)\n\n"
        "def skip(net: Net):\n    return net, x\n",
        "CALL": "class Chosen:\n"
        "    shared, y = nnx.cond(due == 1, update, skip, shared)\n"
        "kept = Chosen.shared.steps[...], Chosen.y",
        "REST": "shared(x)",
    },
}


def case(parts: dict[str, str]) -> FileResult:
    return migrated(program(parts))


@pytest.mark.parametrize("name", DROPPED)
def test_what_the_names_stand_for_is_not_returned(name: str) -> None:
    parts, call = DROPPED[name]
    result = case(parts)
    after = result.after.decode()
    assert f"        {call}\n" in after
    assert "compat" not in after
    assert settled(result)


@pytest.mark.parametrize("name", KEPT)
def test_what_the_names_may_not_stand_for_is(name: str) -> None:
    after = case(KEPT[name]).after.decode()
    assert "nnx.compat.cond" in after or "graph=True" in after
    call = (STANDING | KEPT[name])["CALL"].partition("nnx.cond")[0].splitlines()[-1].strip()
    assert call in after


@pytest.mark.runs_jax
def test_they_compute_the_same(tmp_path: Path) -> None:
    names = {**{n: parts for n, (parts, _) in DROPPED.items()}, **KEPT}
    programs = {name.replace(" ", "_"): case(parts) for name, parts in names.items()}
    found = verdicts(programs, tmp_path)
    assert {name: why for name, why in found.items() if why} == {}
