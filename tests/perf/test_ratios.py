"""The few figures that hold on any machine, however noisy; the others are in benchmarks/."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path, PurePosixPath

import pytest

from benchmarks.corpus import Source, write
from benchmarks.measure import Case, nnx_migrate_command, run_once

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


def cpu_seconds(folder: Path) -> float:
    command = nnx_migrate_command("apply", "--dry-run", "--jobs", "1", folder)
    case = Case("apply", command, folder, frozenset({0, 1}))
    return min(run_once(case).cpu for _ in range(3))


def test_time_grows_no_faster_than_the_number_of_files(tmp_path: Path) -> None:
    small, large = cpu_seconds(tree(tmp_path / "a", 300)), cpu_seconds(tree(tmp_path / "b", 1200))
    # What the start takes is in both, which only makes the ratio smaller; growth with the square
    # of the number would show as more than 4 whenever it costs as much as the rest.
    start = cpu_seconds(tree(tmp_path / "c", 1))
    assert (large - start) / (small - start) <= 4 * 1.35


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
        "from nnx_migrate.cli import main\n"
        "raise SystemExit(main())\n"
    )
    command = nnx_migrate_command(*arguments)
    command[command.index("-c") + 1] = program
    subprocess.run(command, cwd=tmp_path, check=False, capture_output=True)
    imported = set(json.loads((tmp_path / "modules.json").read_text()))
    assert "nnx_migrate" in imported
    assert imported & forbidden == set()
