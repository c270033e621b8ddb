"""The few figures that hold on any machine, however noisy; the others are in benchmarks/."""

from __future__ import annotations

import collections
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Any

import pytest

from benchmarks.corpus import Source, write
from benchmarks.measure import nnx_migrate_command
from nnx_migrate.engine import run as engine
from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.documents import kinds
from nnx_migrate.sources.imports import importers
from nnx_migrate.sources.walk import discovery, scanning
from nnx_migrate.sources.walk.scanning import read_file, says_nnx
from tests.perf.counting import calls_during

PLAIN = "def area(width: float, height: float) -> float:\n    return width * height\n" * 40
USES_NNX = """
import jax.numpy as jnp
from flax import nnx


class Block{number}(nnx.Module):
    def __init__(self, rngs: nnx.Rngs):
        self.linear = nnx.Linear(2, 2, rngs=rngs)
        self.norm = nnx.BatchNorm(2, rngs=rngs)

    def __call__(self, x):
        return self.norm(self.linear(x))


@nnx.jit
def step{number}(model: Block{number}, x):
    def loss(model):
        return jnp.mean(model(x) ** 2)

    return nnx.grad(loss)(model)
"""


def tree(folder: Path, files: int) -> Path:
    """A tree of which every tenth file uses NNX and would be changed."""
    sources = []
    for number in range(files):
        place = PurePosixPath(f"package{number // 50}", f"module{number}.py")
        text = PLAIN if number % 10 else USES_NNX.replace("{number}", str(number))
        sources.append(Source(place, text.encode()))
    write(sources, folder)
    return folder


def work_on(folder: Path) -> int:
    return calls_during(lambda: engine.run([folder], Configuration(), write=None))


def test_work_grows_no_faster_than_the_number_of_files(tmp_path: Path) -> None:
    small, large = work_on(tree(tmp_path / "a", 300)), work_on(tree(tmp_path / "b", 1200))
    assert small > 100_000
    assert large / small <= 4 * 1.15


@pytest.mark.parametrize(
    ("arguments", "forbidden"),
    [
        (("--help",), {"jax", "flax", "ray", "libcst", "numpy"}),
        (("apply", "--dry-run", "--jobs", "1", "plain"), {"jax", "flax", "ray", "libcst", "numpy"}),
        (("apply", "--dry-run", "--jobs", "1", "nnx"), {"jax", "flax", "ray", "numpy"}),
    ],
    ids=["help", "tree without nnx", "tree with nnx"],
)
def test_nothing_is_imported_that_the_work_does_not_need(
    tmp_path: Path, arguments: tuple[str, ...], forbidden: set[str]
) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "area.py").write_text(PLAIN)
    (tmp_path / "nnx").mkdir()
    (tmp_path / "nnx" / "block.py").write_text(USES_NNX.replace("{number}", ""))
    program = (
        "import atexit, json, sys\n"
        "def tell():\n"
        "    json.dump(sorted(m for m in sys.modules if '.' not in m), open('modules.json', 'w'))\n"
        "atexit.register(tell)\n"
        "from nnx_migrate.cli.app import main\n"
        "raise SystemExit(main())\n"
    )
    command = nnx_migrate_command(*arguments)
    command[command.index("-c") + 1] = program
    subprocess.run(command, cwd=tmp_path, check=False, capture_output=True)
    imported = set(json.loads((tmp_path / "modules.json").read_text()))
    assert "nnx_migrate" in imported
    assert imported & forbidden == set()


def test_notebooks_and_pages_without_nnx_cost_one_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": ["x" * 100_000]}
    cell = {"cell_type": "code", "metadata": {}, "source": ["x = 1"], "outputs": [output]}
    for number in range(40):
        (tmp_path / f"n{number}.ipynb").write_text(json.dumps({"cells": [cell]}))
        (tmp_path / f"p{number}.md").write_text("```python\nx = 1\n```\n")
    (tmp_path / "uses.py").write_text(USES_NNX.replace("{number}", ""))
    reads: collections.Counter[str] = collections.Counter()

    def counted(read: Callable[..., Any]) -> Callable[..., Any]:
        def call(path: str | os.PathLike[str], *args: Any) -> Any:
            reads[os.path.basename(path)] += 1
            return read(path, *args)

        return call

    for module in (scanning, discovery, importers):
        monkeypatch.setattr(module, "read_file", counted(read_file))
    for module in (scanning, discovery):
        monkeypatch.setattr(module, "says_nnx", counted(says_nnx))
    monkeypatch.setattr(kinds, "read_document", lambda path, data: pytest.fail(f"{path} was read"))
    engine.run([tmp_path], Configuration({"docs": True}), write=None)
    pages = {name: count for name, count in reads.items() if name.endswith(".md")}
    assert pages == {f"p{number}.md": 1 for number in range(40)}
    # Beside a file that says nnx, what imports it is looked for in notebooks as in Python files.
    assert {c for name, c in reads.items() if name.endswith(".ipynb")} == {2}
    (tmp_path / "uses.py").unlink()
    reads.clear()
    engine.run([tmp_path], Configuration({"docs": True}), write=None)
    assert set(reads.values()) == {1}
