"""`--follow-installed`: what installed packages do with the objects that they are given."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from nnx_migrate.core.findings import Finding
from nnx_migrate.sources.configuration import Options
from nnx_migrate.sources.imports.installed import Environments, environment
from tests.golden.migration import migrate_tree

NETS = """
from flax import nnx

class Block(nnx.Module):
    def __init__(self, rngs):
        self.rngs = rngs

class Net(nnx.Module):
    def __init__(self, rngs):
        self.a = Block(rngs)
        self.b = Block(rngs)
"""
#: Files below site-packages.
INSTALLED = {
    "adapters/__init__.py": """
        from adapters.core import count, kept, name, traced, passed_on, Adapter, Counter, Keeper
        from adapters._native import fast
        from adapters.core import in_graph_mode, saved, own, computed, chosen, listed, made_apart
    """,
    "adapters/core.py": """
        import numpy as np
        from flax import nnx
        from adapters import walking
        import others

        def count(model, start=0):
            return walking.count(model) + start

        def kept(model):
            return Keeper(model).go()

        def name(kind):
            return len(type(kind).__name__)

        @nnx.jit
        def _step(model):
            return 1

        def traced(model):
            return _step(model)

        def passed_on(model):
            return others.size_of(model)

        def in_graph_mode(model):
            return nnx.state(model, graph=True)

        def saved(model):
            return np.asarray([1])

        def own(model):
            fresh = nnx.Linear(2, 2, rngs=nnx.Rngs(0))
            return nnx.state(fresh), type(model)

        def computed(model, which):
            return getattr(nnx, which)(model)

        def chosen(model, callback=None):
            return callback(model) if callback else 0

        def listed(models):
            return [walking.count(each) for each in models]

        def made_apart(model):
            return np.shape(model)

        class Keeper:
            def __init__(self, model):
                self.model = model
            def go(self):
                return nnx.split(self.model)

        class Adapter:
            def count(self, model):
                return walking.count(model)
            def name(self, model):
                return 1

        class Counter:
            def __init__(self, model):
                self.n = 1
    """,
    "adapters/walking.py": """
        def count(model):
            return sum(1 for _ in model.iter_modules())
    """,
    "others.py": """
        import jax
        def size_of(tree):
            return len(jax.tree.leaves(tree))
    """,
}
MODEL = "Net(nnx.Rngs(0))"
#: What is called, and a part of what is said.
REPORTED = {
    "function": (f"adapters.count({MODEL})", "calls .iter_modules() (adapters/walking.py:2)"),
    "keyword": (f"adapters.count(start=1, model={MODEL})", "(adapters/walking.py:2)"),
    "unpacked": (f"adapters.count(*[{MODEL}])", "(adapters/walking.py:2)"),
    "list": (f"adapters.listed([{MODEL}])", "(adapters/walking.py:2)"),
    "method": (f"adapters.Adapter().count({MODEL})", "(adapters/walking.py:2)"),
    "object that keeps it": (
        f"adapters.Keeper({MODEL})",
        "calls nnx.split (adapters/core.py:51)",
    ),
    "kept for a while": (f"adapters.kept({MODEL})", "calls nnx.split"),
    "under a transform": (f"adapters.traced({MODEL})", "calls nnx.jit"),
    "partial": (f"functools.partial(adapters.count, {MODEL})()", "(adapters/walking.py:2)"),
    "of a part without source": (
        f"adapters.fast({MODEL})",
        "did not find some code that fast runs",
    ),
    "by a computed name": (
        f"adapters.computed({MODEL}, WHICH)",
        "did not find some code that computed runs",
    ),
    "not installed": (f"missing.count({MODEL})", "missing is not installed in the environment"),
}
FREE = {
    "no function of nnx": f"adapters.name({MODEL})",
    "a method that calls none": f"adapters.Adapter().name({MODEL})",
    "a class that calls none": f"adapters.Counter({MODEL})",
    "another package that calls none": f"adapters.passed_on({MODEL})",
    "graph mode": f"adapters.in_graph_mode({MODEL})",
    "numpy": f"adapters.saved({MODEL})",
    "an object of its own": f"adapters.own({MODEL})",
    "code of the project": f"adapters.chosen({MODEL}, callback=len)",
}


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """An environment that has the packages."""
    prefix = tmp_path_factory.mktemp("environment")
    for name, text in INSTALLED.items():
        file = prefix / "lib" / "python3.11" / "site-packages" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text).lstrip("\n"))
    (prefix / "bin").mkdir()
    (prefix / "bin" / "python").write_text("")
    return str(prefix / "bin" / "python")


def _findings(call: str, python: str) -> list[Finding]:
    text = f"import adapters, functools, missing\n{NETS}\ndef main():\n    return {call}\n"
    options = Options(follow_installed=True, python=python)
    result = migrate_tree({"main.py": text.encode()}, options)["main.py"]
    return [each for each in result.findings if each.rule == "shared-reference"]


@pytest.mark.parametrize("name", REPORTED)
def test_says_what_it_reaches_and_where(name: str, python: str) -> None:
    call, said = REPORTED[name]
    (finding,) = _findings(call, python)
    assert said in finding.message
    assert "nnx.set_graph_mode(True)" in finding.ways_out[0]
    assert python.removesuffix("/bin/python") not in finding.message


@pytest.mark.parametrize("name", FREE)
def test_nothing_is_said_where_it_reaches_none(name: str, python: str) -> None:
    assert not _findings(FREE[name], python)


def test_an_environment_is_found_by_its_folder_and_by_its_interpreter(python: str) -> None:
    prefix = Path(python).parent.parent
    assert environment(python) == environment(str(prefix))
    assert environment(str(prefix)).path_of("adapters.core") is not None
    assert environment(str(prefix)).path_of("adapters._native") is None
    assert environment(str(prefix / "lib")).folders == ()


def test_packages_that_are_edited_are_found(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    (tmp_path / "src" / "edited").mkdir(parents=True)
    (tmp_path / "src" / "edited" / "__init__.py").write_text("x = 1\n")
    (packages / "edited.pth").write_text(f"import nothing\n{tmp_path / 'src'}\n/not/there\n")
    source = environment(str(tmp_path)).read("edited")
    assert source is not None
    assert source.text == "x = 1\n"


def test_what_is_installed_later_is_found_by_the_next_run(tmp_path: Path) -> None:
    packages = tmp_path / "lib" / "python3.12" / "site-packages"
    packages.mkdir(parents=True)
    before = environment(str(tmp_path))
    run = Environments()
    assert run.of(str(tmp_path)) == before
    (packages / "later.py").touch()
    assert environment(str(tmp_path)).state != before.state
    assert run.of(str(tmp_path)) == before  # a run sees one state of it
    assert Environments().of(str(tmp_path)) != before


def test_the_active_environment_is_looked_at(python: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIRTUAL_ENV", str(Path(python).parent.parent))
    (finding,) = _findings(REPORTED["function"][0], "")
    assert "adapters/walking.py:2" in finding.message
    monkeypatch.delenv("VIRTUAL_ENV")
    assert environment("").path_of("pytest") is not None
