"""Objects that a step is given and returns: dropped where all callers have them, else pinned."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult
from tests.hazards.running import migrated, migrated_files, settled, verdicts

PROGRAM = """\
import jax, jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.steps = nnx.Variable(jnp.array(0))

    def __call__(self, x):
        self.steps[...] += 1
        return self.linear(x)

OPTIONS
def stepPARAMETERSRETURNS
    y = model(x) + other(x)
BODY

def train(model: Net, other: Net):
    x = jnp.ones((1, 2))
    for _ in range(2):
        CALL
    return REST

def main():
    nets = [Net(nnx.Rngs(i)) for i in range(2)]
    return train(*nets), nets[0].steps[...], nets[1].steps[...]
"""
BOTH = "    return model, other, y"
PLAIN = {
    "OPTIONS": "@nnx.jit",
    "PARAMETERS": "(model: Net, other: Net, x)",
    "RETURNS": ":",
    "BODY": BOTH,
    "REST": "model(x), other(x), y",
}


def program(**parts: str) -> str:
    text = PROGRAM
    for name, part in (PLAIN | {"CALL": "model, other, y = step(model, other, x)"} | parts).items():
        text = text.replace(name, part)
    return text


#: What its calls become.
DROPPED = {
    "two": ({}, "y = step(model, other, x)"),
    "by keyword": (
        {"CALL": "model, other, y = step(model, x=x, other=other)"},
        "y = step(model, x=x, other=other)",
    ),
    "nested": (
        {
            "BODY": "    return (model, (other, y)), y",
            "CALL": "(model, (other, z)), y = step(model, other, x)",
        },
        "z, y = step(model, other, x)",
    ),
    "at every end": (
        {"BODY": "    if x.ndim > 2:\n        return model, other, -y\n" + BOTH},
        "y = step(model, other, x)",
    ),
    "annotated": (
        {"RETURNS": " -> tuple[Net, Net, jax.Array]:"},
        "y = step(model, other, x)",
    ),
    "static": (
        {"OPTIONS": "@nnx.jit(static_argnames=())"},
        "y = step(model, other, x)",
    ),
    "nothing else": (
        {
            "BODY": "    return model, other",
            "CALL": "model, other = step(model, other, x)",
            "REST": "model(x), other(x)",
        },
        "step(model, other, x)",
    ),
    "called in what it returns": (
        {"BODY": "    return model, other, model(x) - y"},
        "y = step(model, other, x)",
    ),
    "thrown away": (
        {"CALL": "step(model, other, x); y = x"},
        "step(model, other, x); y = x",
    ),
}
#: Programs whose function gets a private name, and what the one beside it returns.
BESIDE = {
    "another name": (
        {"CALL": "first, other, y = step(model, other, x); model = first"},
        "    y = _step(model, other, x)\n    return model, other, y\n",
    ),
    "one value": (
        {"CALL": "found = step(model, other, x); model, other, y = found"},
        "    y = _step(model, other, x)\n    return model, other, y\n",
    ),
    "an attribute": (
        {"CALL": "h = [model]; h[0], other, y = step(h[0], other, x)"},
        "    y = _step(model, other, x)\n    return model, other, y\n",
    ),
    "handed on": (
        {"CALL": "run = step; model, other, y = run(model, other, x)"},
        "    y = _step(model, other, x)\n    return model, other, y\n",
    ),
    "offered to others": (
        {"OPTIONS": "__all__ = ['step']\n@nnx.jit"},
        "    y = _step(model, other, x)\n    return model, other, y\n",
    ),
    "two of them nested": (
        {
            "BODY": "    return (model, -y), (y, other)",
            "CALL": "found = step(model, other, x); (model, z), (y, other) = found",
        },
        "    result, y = _step(model, other, x)\n    return (model, result), (y, other)\n",
    ),
    "a tuple in it": (
        {
            "BODY": "    return model, (-y, y), other",
            "CALL": "found = step(model, other, x); model, (z, y), other = found",
        },
        "    (result, y) = _step(model, other, x)\n    return model, (result, y), other\n",
    ),
    "nothing else returned": (
        {
            "BODY": "    return model, other",
            "CALL": "found = step(model, other, x); model, other = found",
            "REST": "model(x), other(x)",
        },
        "    _step(model, other, x)\n    return model, other\n",
    ),
    "at each of two ends": (
        {
            "BODY": "    if x.ndim > 2:\n        return model, other, -y\n" + BOTH,
            "CALL": "found = step(model, other, x); model, other, y = found",
        },
        "    y = _step(model, other, x)\n    return model, other, y\n",
    ),
    "with a text about it": (
        {
            "RETURNS": ':\n    """A step.\n\n    Args:\n        x: a batch.\n    """',
            "CALL": "found = step(model, other, x); model, other, y = found",
        },
        '        x: a batch.\n    """\n    y = _step(model, other, x)\n',
    ),
    "by keyword alone": (
        {
            "PARAMETERS": "(model: Net, *, other: Net, x)",
            "CALL": "found = step(model, other=other, x=x); model, other, y = found",
        },
        "    y = _step(model, other=other, x=x)\n    return model, other, y\n",
    ),
    "with an annotation": (
        {
            "RETURNS": " -> tuple[Net, Net, jax.Array]:",
            "CALL": "found = step(model, other, x); model, other, y = found",
        },
        "def step(model: Net, other: Net, x) -> tuple[Net, Net, jax.Array]:\n"
        "    y = _step(model, other, x)\n",
    ),
    "its arguments are kept": (
        {
            "CALL": "found = nnx.cached_partial(step, model)(other, x)",
            "REST": "found[0].steps[...], found[2], model.steps[...]",
        },
        "    y = _step(model, other, x)\n    return model, other, y\n",
    ),
    "stored in it": (
        {
            "CALL": "model, other, model.steps[...] = step(model, other, x)",
            "BODY": "    return model, other, model.steps[...] * 2",
            "REST": "model(x), other(x)",
        },
        "    result = _step(model, other, x)\n    return model, other, result\n",
    ),
    "its name is taken": (
        {
            "OPTIONS": "_step = 1\n@nnx.jit",
            "CALL": "found = step(model, other, x); model, other, y = found",
        },
        "    y = _step_2(model, other, x)\n",
    ),
}
SWAPPED = {"CALL": "other, model, y = step(model, other, x)"}
KEPT = {
    "bound anew": {"BODY": "    model = nnx.clone(model)\n" + BOTH},
    "a part": {"BODY": "    return model, other, model.linear", "REST": "other(x), model(x)"},
    "one of two": {
        "BODY": "    if x.ndim > 2:\n        return other, model, y\n" + BOTH,
    },
    "donated": {
        "OPTIONS": "@nnx.jit(donate_argnums=2)",
        "CALL": "x = jnp.ones((1, 2)); model, other, y = step(model, other, x)",
        "REST": "y",
    },
    "two decorators": {"OPTIONS": "@nnx.jit\n@nnx.remat"},
    "annotated as one": {"RETURNS": " -> tuple[object, ...]:"},
    "lowered": {
        "CALL": "step.lower(model, other, x); first, other, y = step(model, other, x)",
        "REST": "other(x), y",
    },
    "it calls itself": {
        "BODY": "    if x.ndim > 2:\n        step(model, other, x[0])\n" + BOTH,
        "CALL": "found = step(model, other, x); model, other, y = found",
    },
    "another tuple at one end": {
        "BODY": "    if x.ndim > 2:\n        return model, other, (y, y)\n" + BOTH,
        "CALL": "found = step(model, other, x); model, other, y = found",
    },
}


def case(parts: dict[str, str]) -> FileResult:
    return migrated(program(**parts))


@pytest.mark.parametrize("name", DROPPED)
def test_what_callers_have_is_not_returned(name: str) -> None:
    parts, call = DROPPED[name]
    result = case(parts)
    after = result.after.decode()
    assert f"        {call}\n" in after
    assert "compat" not in after
    assert "graph" not in after
    assert settled(result)


@pytest.mark.parametrize("name", BESIDE)
def test_callers_that_need_all_call_one_that_returns_it(name: str) -> None:
    parts, written = BESIDE[name]
    result = case(parts)
    after = result.after.decode()
    assert written in after
    assert "compat" not in after
    assert "graph" not in after
    assert settled(result)


def test_objects_that_may_be_one_another_stay_in_graph_mode() -> None:
    after = case(SWAPPED).after.decode()
    assert "@nnx.jit(graph=True, graph_updates=False)\ndef _step(" in after


@pytest.mark.parametrize("name", KEPT)
def test_what_callers_may_not_have_is(name: str) -> None:
    after = case(KEPT[name]).after.decode()
    assert "nnx.compat" in after
    assert KEPT[name].get("BODY", BOTH) in after


STARTED = """\
import jax.numpy as jnp
from flax import nnx

BEFORE
TEST:
    net = nnx.Linear(2, 2, rngs=nnx.Rngs(0))

    @nnx.jit
    def step(net, x):
        net.bias[...] += 1
        return net(x), net

    y, net = step(net, jnp.ones((1, 2)))
AFTER
"""
GUARD = 'if __name__ == "__main__"'


@pytest.mark.parametrize(
    ("parts", "dropped"),
    [
        pytest.param({}, True, id="where the file is started"),
        pytest.param({"TEST": 'if __name__ != "__main__"'}, False, id="where it is imported"),
        pytest.param({"TEST": f"{GUARD}:\n    pass\nelse"}, False, id="in the other branch"),
        pytest.param({"TEST": "if jnp.ones(()) == 1"}, False, id="under another test"),
        pytest.param({"BEFORE": "def step(): pass\n"}, False, id="bound elsewhere too"),
        pytest.param({"AFTER": "def again():\n    global step\n"}, False, id="declared global"),
        pytest.param({"AFTER": "from pkg.other import *\n"}, False, id="maybe imported"),
    ],
)
def test_nobody_imports_what_a_file_binds_where_it_is_started(
    parts: dict[str, str], dropped: bool
) -> None:
    text = STARTED
    for name, part in ({"BEFORE": "", "TEST": GUARD, "AFTER": ""} | parts).items():
        text = text.replace(name, part)
    files = {"pkg/__init__.py": "", "pkg/other.py": "number = 1\n", "pkg/run.py": text}
    after = migrated_files(files)["pkg/run.py"].after.decode()
    assert ("    y = step(net, jnp.ones((1, 2)))\n" in after) is dropped
    assert ("compat" in after) is not dropped


@pytest.mark.runs_jax
def test_they_compute_the_same(tmp_path: Path) -> None:
    names = {**{n: parts for n, (parts, _) in (DROPPED | BESIDE).items()}, **KEPT}
    names["swapped"] = SWAPPED
    programs = {name.replace(" ", "_"): case(parts) for name, parts in names.items()}
    found = verdicts(programs, tmp_path)
    assert {name: why for name, why in found.items() if why} == {}
