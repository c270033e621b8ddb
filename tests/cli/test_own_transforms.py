"""Transforms of a project's own: sites with all findings, kept in graph mode through themselves."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Command

_TABLE = """\
[project]
name = "acme"

[tool.nnx-migrate.transforms."acme.fancy_jit"]
like = "nnx.jit"
renamed = { frozen = "static_argnums" }
own = ["label"]
passes = ["graph", "graph_updates"]

[tool.nnx-migrate.transforms."acme.wrappers.fancy_grad"]
like = "nnx.grad"
compat = "acme.wrappers.graph_grad"

[tool.nnx-migrate.transforms."acme.wrappers.mapped"]
like = "nnx.vmap"
renamed = { axes = "in_axes" }
"""
_WRAPPERS = """\
import functools

from flax import nnx


def fancy_jit(f=None, *, label="", frozen=None, **options):
    if f is None:
        return functools.partial(fancy_jit, label=label, frozen=frozen, **options)
    return nnx.jit(f, static_argnums=frozen, **options)


def fancy_grad(f, **options):
    return nnx.grad(f, **options)


def graph_grad(f, **options):
    return nnx.compat.grad(f, **options)


def mapped(f, *, axes=0):
    return nnx.vmap(f, in_axes=axes)
"""
_HEAD = """\
import acme
import jax.numpy as jnp
from acme.wrappers import fancy_grad, mapped
from flax import nnx


class Net(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)

    def __call__(self, x):
        self.last = nnx.Variable(x)
        return self.linear(x)


def loss_fn(model: nnx.Linear, x):
    return (model(x) ** 2).sum()
"""
#: A function, and what is written of its wrapper.
PROGRAMS = {
    "decorator": (
        "@acme.fancy_jit\ndef run(net: Net, x):\n    return net(x), net.last[...]\n",
        "@functools.partial(acme.fancy_jit, graph=True, graph_updates=True)\n",
    ),
    "decorator with keywords": (
        '@acme.fancy_jit(label="step", frozen=2)\n'
        "def run(net: Net, x, n=1):\n    return net(x) * n, net.last[...]\n",
        '@acme.fancy_jit(label="step", frozen=2, graph=True, graph_updates=True)\n',
    ),
    "call": (
        "def run(net: Net, x):\n"
        "    return acme.fancy_jit(lambda net, x: net(x))(net, x), net.last[...]\n",
        "acme.fancy_jit(lambda net, x: net(x), graph=True, graph_updates=True)(\n"
        "        net, x\n    ), net.last[...]\n",
    ),
    "gradient": (
        "def run(net: Net, x):\n    return fancy_grad(loss_fn)(net.linear, x)\n",
        "    return fancy_grad(loss_fn_of_state)(params, nondiff, x)\n",
    ),
    "gradient of what changes": (
        "def run(net: Net, x):\n"
        "    def loss(net):\n        return net(x).sum()\n\n"
        "    return fancy_grad(loss)(net), net.last[...]\n",
        "    return acme.wrappers.graph_grad(loss)(net), net.last[...]\n",
    ),
    "axes by another name": (
        "def run(net: Net, x):\n"
        "    linear = net.linear\n"
        "    f = lambda model, x: model(x)\n"
        "    return mapped(f, axes=(nnx.StateAxes({nnx.Param: None, ...: 0}), 0))(linear, x)\n",
        "axes=(None, 0, 0)",
    ),
}
_RUN = """
import sys
import jax
import jax.numpy as jnp
from flax import nnx
tree = sys.argv[1] == "tree"
nnx.set_graph_mode(not tree)
nnx.set_graph_updates(not tree)
import train
found = train.run(train.Net(nnx.Rngs(0)), jnp.arange(4.0).reshape(2, 2))
print(jax.tree.map(lambda leaf: leaf.tolist(), jax.tree.leaves(nnx.pure(found))))
"""


def _project(folder: Path, program: str) -> Path:
    (folder / "acme").mkdir(parents=True)
    (folder / "pyproject.toml").write_text(_TABLE)
    (folder / "acme" / "__init__.py").write_text("from acme.wrappers import fancy_jit\n")
    (folder / "acme" / "wrappers.py").write_text(_WRAPPERS)
    file = folder / "train.py"
    file.write_text(f"{_HEAD}\n\n{program}")
    return file


def _printed(folder: Path, mode: str) -> str:
    command = [sys.executable, "-c", _RUN, mode]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_wrapper_is_a_site(name: str, command: Command, tmp_path: Path) -> None:
    program, written = PROGRAMS[name]
    file = _project(tmp_path, program)
    done = command("apply", ".")
    assert done.code == 0, done.out.decode()
    assert written in file.read_text()
    assert (tmp_path / "acme" / "wrappers.py").read_text() == _WRAPPERS
    again = command("apply", ".", "--check")
    assert again.code == 0, again.out.decode()


@pytest.mark.runs_jax
@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_written_runs_as_before(name: str, command: Command, tmp_path: Path) -> None:
    file = _project(tmp_path, PROGRAMS[name][0])
    before = _printed(tmp_path, "graph")
    assert before.count("[") > 2
    assert command("apply", ".").code == 0
    assert PROGRAMS[name][1] in file.read_text()
    assert [_printed(tmp_path, mode) for mode in ("graph", "tree")] == [before] * 2


def test_one_that_may_be_missing_is_kept(command: Command, tmp_path: Path) -> None:
    program = (
        "try:\n    from acme import fancy_jit\nexcept ImportError:\n    fancy_jit = nnx.jit\n\n\n"
        "@fancy_jit\ndef run(net: Net, x):\n    return net(x)\n"
    )
    file = _project(tmp_path, program)
    assert command("apply", ".").code == 0
    assert "@functools.partial(fancy_jit, graph=True, graph_updates=True)\n" in file.read_text()


def test_without_a_table_nothing_is_known_of_it(command: Command, tmp_path: Path) -> None:
    file = _project(tmp_path, PROGRAMS["decorator"][0])
    before = file.read_text()
    (tmp_path / "pyproject.toml").write_text("")
    command("apply", ".")
    assert file.read_text() == before


def test_where_no_form_for_graph_mode_is_known_a_person_is_told(
    command: Command, tmp_path: Path
) -> None:
    file = _project(tmp_path, PROGRAMS["decorator"][0])
    before = file.read_text()
    table = _TABLE.replace('passes = ["graph", "graph_updates"]\n', "")
    (tmp_path / "pyproject.toml").write_text(table)
    done = command("apply", ".")
    assert done.code == 1
    assert file.read_text() == before
    assert "structural-update: manual: the function changes net" in done.said
    assert "acme.fancy_jit has no known form for graph mode; set compat" in done.said


def test_one_that_is_not_in_sight_is_known_by_its_name(command: Command, tmp_path: Path) -> None:
    file = _project(tmp_path, PROGRAMS["decorator"][0])
    for name in ("wrappers", "__init__"):
        (tmp_path / "acme" / f"{name}.py").unlink()
    assert command("apply", ".").code == 0
    assert PROGRAMS["decorator"][1] in file.read_text()


def test_what_it_is_like_has_to_be_a_transform(command: Command, tmp_path: Path) -> None:
    _project(tmp_path, PROGRAMS["decorator"][0])
    (tmp_path / "pyproject.toml").write_text(_TABLE.replace("nnx.jit", "nnx.jitt", 1))
    done = command("apply", ".")
    assert done.code == 2
    assert 'transforms]."acme.fancy_jit" like: nnx.jitt is not a transform' in done.err
    assert "did you mean 'nnx.jit'?" in done.err


def test_the_wrapper_is_named_where_a_place_is_explained(command: Command, tmp_path: Path) -> None:
    file = _project(tmp_path, PROGRAMS["decorator"][0])
    line = file.read_text().splitlines().index("@acme.fancy_jit") + 1
    done = command("apply", "--explain", f"train.py:{line}")
    assert b"acme.fancy_jit (as a decorator)" in done.out
