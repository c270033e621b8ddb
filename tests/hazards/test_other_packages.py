"""Objects with shared parts that are handed to packages whose code was not read."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.core.findings import Finding, Outcome
from tests.golden.columns import run_programs
from tests.hazards.running import migrated, migrated_files

NETS = """
import jax.numpy as jnp, numpy as np
from flax import nnx

class Block(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs

class Net(nnx.Module):
    def __init__(self, rngs):
        self.a = Block(rngs)
        self.b = Block(rngs)

class Apart(nnx.Module):
    def __init__(self, rngs):
        self.a = nnx.Linear(2, 2, rngs=rngs)
        self.b = nnx.Linear(2, 2, rngs=rngs)
"""

#: What is imported, and what `main` does.
REPORTED = {
    "function": ("import adapters", "return adapters.count(Net(nnx.Rngs(0)))"),
    "imported by name": ("from adapters import count", "return count(Net(nnx.Rngs(0)))"),
    "through a variable": (
        "import adapters as ad",
        "model = Net(nnx.Rngs(0))\n    return ad.count(model)",
    ),
    "keyword": ("import adapters", "return adapters.count(model=Net(nnx.Rngs(0)))"),
    "in a list": ("import adapters", "return adapters.count_all([Net(nnx.Rngs(0))])"),
    "method": (
        "import adapters",
        "adapter = adapters.Adapter()\n    return adapter.count(Net(nnx.Rngs(0)))",
    ),
    "method of what is made there": (
        "from adapters import Adapter",
        "return Adapter().count(Net(nnx.Rngs(0)))",
    ),
    "partial": (
        "import adapters, functools",
        "return functools.partial(adapters.count, Net(nnx.Rngs(0)))()",
    ),
    "class": ("import adapters", "return adapters.Counter(Net(nnx.Rngs(0))).n"),
    "twice through functions": (
        "import adapters\n"
        "def inner(nets):\n    return adapters.parts(nets)\n"
        "def outer(one, other):\n    return inner([one, other])",
        "inner([np.ones(2)])\n    net = Apart(nnx.Rngs(0))\n    return outer(net, net)",
    ),
    "as rest of the arguments": (
        "import adapters\ndef inner(*nets):\n    return adapters.parts(nets)",
        "net = Apart(nnx.Rngs(0))\n    return inner(net, net)",
    ),
    "of a plain object": (
        "import adapters\n"
        "class Box:\n    def __init__(self, nets):\n        self.nets = nets\n"
        "def inner(box):\n    return adapters.parts(box.nets)",
        "net = Apart(nnx.Rngs(0))\n    return inner(Box([net, net]))",
    ),
    "of a method's own object": (
        "import adapters\n"
        "class Box:\n    def __init__(self, nets):\n        self.nets = nets\n"
        "    def inner(self):\n        return adapters.parts(self.nets)",
        "net = Apart(nnx.Rngs(0))\n    return Box([net, net]).inner()",
    ),
}
SILENT = {
    "nothing shared": ("import adapters", "return adapters.count(Apart(nnx.Rngs(0)))"),
    "not known": ("import adapters", "return adapters.count(adapters.load())"),
    "a class": ("import adapters", "return adapters.name(Net)"),
    "the mode is set": (
        "import adapters",
        "with nnx.set_graph_mode(True):\n        return adapters.count(Net(nnx.Rngs(0)))",
    ),
    "arrays twice through functions": (
        "import adapters\n"
        "def inner(xs):\n    return adapters.given(xs)\n"
        "def outer(one, other):\n    return inner([one, other])",
        "x = np.ones(2)\n    return outer(x, x)",
    ),
    "numpy": ("", "return np.ndim(np.array(Net(nnx.Rngs(0)), dtype=object))"),
    "standard library": ("import copy", "copy.copy(Net(nnx.Rngs(0)))\n    return 0"),
}
PACKAGE = """
from flax import nnx

def count(model):
    return sum(1 for _ in model.iter_modules())

def count_all(models):
    return sum(map(count, models))

def parts(models):
    return len(nnx.split(models))

class Adapter:
    def count(self, model):
        return count(model)

class Counter:
    def __init__(self, model):
        self.n = count(model)

def name(kind):
    return len(kind.__name__)

def given(xs):
    return len(xs)

def load():
    return nnx.Linear(2, 2, rngs=nnx.Rngs(0))
"""


def _program(imports: str, main: str) -> str:
    return f"{imports}\n{NETS}\ndef main():\n    {main}\n"


def _findings(source: str) -> tuple[Finding, ...]:
    return tuple(f for f in migrated(source).findings if f.rule == "shared-reference")


@pytest.mark.parametrize("name", REPORTED)
def test_is_reported_once(name: str) -> None:
    (finding,) = _findings(_program(*REPORTED[name]))
    assert finding.outcome is Outcome.MANUAL
    assert "adapters" in finding.message
    assert "did not read" in finding.message
    assert "nnx.set_graph_mode(True)" in str(finding.ways_out)


@pytest.mark.parametrize("name", SILENT)
def test_nothing_is_reported(name: str) -> None:
    assert not _findings(_program(*SILENT[name]))


def test_tables_of_rows_that_a_model_makes_are_given_nothing_of_nnx() -> None:
    table = "return Dataset.from_list([{}]).map(print, fn_kwargs={'net': Net(nnx.Rngs(0))})"
    assert not _findings(_program("from datasets import Dataset", table))


def test_a_file_without_flax_is_looked_at() -> None:
    main = "import adapters\nfrom nets import Net, make\n\nadapters.count(make())\n"
    nets = f"{NETS}\ndef make():\n    return Net(nnx.Rngs(0))\n"
    results = migrated_files({"main.py": main, "nets.py": nets})
    assert [f.rule for f in results["main.py"].findings] == ["shared-reference"]


def test_a_package_of_the_project_is_no_other() -> None:
    main = _program(*REPORTED["function"])
    results = migrated_files({"main.py": main, "adapters.py": PACKAGE})
    assert "not read" not in str([f.message for f in results["main.py"].findings])


@pytest.mark.runs_jax
def test_tree_mode_raises_where_it_is_reported(tmp_path: Path) -> None:
    drive = tmp_path / "drive.py"
    drive.write_text("def drive(program):\n    return program.main()\n")
    programs = []
    for i, (imports, main) in enumerate([*REPORTED.values(), *SILENT.values()]):
        folder = tmp_path / str(i)
        folder.mkdir()
        (folder / "main.py").write_text(_program(imports, main))
        (folder / "adapters.py").write_text(PACKAGE)
        programs.append((str(i), folder, drive))
    tree, graph = run_programs(programs, "tree"), run_programs(programs, "graph")
    names = [*REPORTED, *SILENT]
    assert [n for i, n in enumerate(names) if tree[str(i)].form is None] == list(REPORTED)
    assert all(graph[str(i)].form is not None for i in range(len(names)))
