"""Transforms that are come to under no name are reported, and what only looks at nnx is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import Outcome
from tests.golden.columns import difference, run_programs
from tests.hazards.running import migrated

_HEAD = """
import functools, importlib, inspect, operator, sys, types
import flax
import jax.numpy as jnp
from flax import nnx

class Net(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.ones(()))
        self.n = 0
    def __call__(self, x):
        self.n += 1
        return self.w * x

def step(m, x):
    return m(x)

"""
_TAIL = """

def main():
    m = Net()
    run(m, jnp.ones(()))
    return m.n
"""
#: How `run` is made of `step`.
HIDDEN = {
    "a dictionary with a name": 'names = vars(nnx)\nrun = names["jit"](step)',
    "a dictionary with a computed key": 'run = vars(nnx)["j" + "it"](step)',
    "its __dict__": 'names = nnx.__dict__\nrun = names.get("jit")(step)',
    "a copy of it": 'run = {**vars(nnx)}["jit"](step)',
    "a function that gives it": 'def names():\n    return vars(nnx)\nrun = names()["jit"](step)',
    "getitem": 'run = operator.getitem(vars(nnx), "jit")(step)',
    "itemgetter": 'run = operator.itemgetter("jit")(vars(nnx))(step)',
    "attrgetter with a name": 'get = operator.attrgetter("jit")\nrun = get(nnx)(step)',
    "methodcaller with a name": 'call = operator.methodcaller("jit", step)\nrun = call(nnx)',
    "members": 'run = dict(inspect.getmembers(nnx))["jit"](step)',
    "a parameter": "def use(lib, f):\n    return lib.jit(f)\nrun = use(nnx, step)",
    "an attribute of a class": "class Uses:\n    lib = nnx\nrun = Uses.lib.jit(step)",
    "a table": 'run = {"lib": nnx}["lib"].jit(step)',
    "one of two": "lib = nnx if step else None\nrun = lib.jit(step)",
    "__getattribute__": 'run = nnx.__getattribute__("jit")(step)',
    "a partial of getattr": 'run = functools.partial(getattr, nnx)("jit")(step)',
    "of flax": 'names = vars(flax.nnx)\nrun = names["jit"](step)',
    "a computed module": 'run = importlib.import_module("flax." + "nnx").jit(step)',
    "a module by a name": (
        'name = "flax.nnx"\nlib = importlib.import_module(name)\nrun = lib.jit(step)'
    ),
    "eval": 'run = eval("nnx.jit")(step)',
    "exec": 'exec("run = nnx.jit(step)")',
    "globals": 'from flax.nnx import jit as traced\nrun = globals()["traced"](step)',
    "globals with a computed key": 'jitted = nnx.jit(step)\nrun = globals()["jit" + "ted"]',
    "a registry": (
        "RUNS = {}\ndef register(name):\n    def decorate(f):\n        RUNS[name] = nnx.jit(f)\n"
        '        return f\n    return decorate\nrun = (register("a")(step), RUNS["a"])[1]'
    ),
}
#: What looks at nnx, and calls nothing of it.
LOOKING = {
    "names": "known = dir(nnx)\nrun = step",
    "hasattr": 'run = step if hasattr(nnx, "List") else step',
    "another name": "lib = nnx\nrun = step\nlayer = lib.Linear",
    "compared": "run = step if nnx is not None else step",
    "replaced": "def test(monkeypatch):\n    monkeypatch.setattr(nnx, 'gelu', None)\nrun = step",
    "an activation by name": 'act = getattr(nnx, "gelu")\nrun = step',
    "another module": 'run = step\nmath = importlib.import_module("ma" + "th").sqrt(4.0)',
    "another text": 'run = eval("step")',
}


def _program(made: str) -> str:
    return f"{_HEAD}{made}\n{_TAIL}"


@pytest.mark.parametrize("name", HIDDEN)
def test_is_reported_or_pinned(name: str) -> None:
    findings = migrated(_program(HIDDEN[name])).findings
    assert {each.outcome for each in findings} & {Outcome.MANUAL, Outcome.PINNED}


@pytest.mark.parametrize("name", LOOKING)
def test_nothing_is_said_of_what_only_looks(name: str) -> None:
    assert not migrated(_program(LOOKING[name])).findings


@pytest.mark.runs_jax
def test_tree_mode_gives_another_result_where_it_is_reported(tmp_path: Path) -> None:
    drive = tmp_path / "drive.py"
    drive.write_text("def drive(program):\n    return program.main()\n")
    programs = []
    for i, made in enumerate([*HIDDEN.values(), *LOOKING.values()]):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "main.py").write_text(_program(made))
        programs.append((str(i), folder, drive))
    tree, graph = run_programs(programs, "tree"), run_programs(programs, "graph")
    names = [*HIDDEN, *LOOKING]
    different = [difference(graph[str(i)], tree[str(i)]) for i in range(len(names))]
    told = [name for name, found in zip(names, different, strict=True) if found]
    assert told == list(HIDDEN)
    assert all(graph[str(i)].form is not None for i in range(len(names)))
