"""How long new lines may be: as long as the formatter of the file lets them."""

from __future__ import annotations

from pathlib import Path

import pytest

from nnx_migrate.sources.configuration import Configuration
from nnx_migrate.sources.formatter_width import LINE_WIDTH, formatter_width
from tests.cli.conftest import Command

SAYING = {
    "ruff": ("pyproject.toml", "[tool.ruff]\nline-length = 120\n", 120),
    "ruff by itself": ("ruff.toml", "line-length = 79\n", 79),
    "hidden": (".ruff.toml", "line-length = 99\n", 99),
    "black": ("pyproject.toml", "[tool.black]\nline-length = 110\n", 110),
    "pyink": ("pyproject.toml", "[tool.pyink]\nline-length = 80\n", 80),
    "yapf": ("pyproject.toml", "[tool.yapf]\ncolumn_limit = 90\n", 90),
    "one of two": ("pyproject.toml", "[tool.ruff]\n[tool.black]\nline-length = 72\n", 72),
    "nothing but that it is there": ("pyproject.toml", "[tool.black]\n", 88),
    "no formatter": ("pyproject.toml", "[tool.mypy]\nstrict = true\n", LINE_WIDTH),
    "no number": ("pyproject.toml", "[tool.black]\nline-length = 'wide'\n", 88),
    "no sense": ("pyproject.toml", "[tool.black]\nline-length = 100000\n", 88),
    "no toml": ("pyproject.toml", "[tool.black\n", LINE_WIDTH),
}


@pytest.mark.parametrize("case", SAYING)
def test_the_width_of_the_formatter_counts(tmp_path: Path, case: str) -> None:
    name, text, width = SAYING[case]
    (tmp_path / name).write_text(text)
    inner = tmp_path / "src" / "package"
    inner.mkdir(parents=True)
    known: dict[Path, int] = {}
    assert formatter_width(inner, known) == width
    assert formatter_width(tmp_path / "src", known) == width


def test_the_nearest_one_counts(tmp_path: Path) -> None:
    (tmp_path / "ruff.toml").write_text("line-length = 79\n")
    inner = tmp_path / "inner"
    inner.mkdir()
    (inner / "ruff.toml").write_text("line-length = 120\n")
    configuration = Configuration()
    assert configuration.options_for(inner / "a.py").width == 120
    assert configuration.options_for(tmp_path / "a.py").width == 79


PROGRAM = """\
from flax import nnx


class Part(nnx.Module, pytree=False):
    def __init__(self, rngs: nnx.Rngs):
        self.all = [nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)]
"""
SHORT = "        self.all = nnx.data([nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)])\n"
BROKEN = """\
        self.all = nnx.data(
            [nnx.Linear(2, 2, rngs=rngs), nnx.Linear(2, 2, rngs=rngs)]
        )
"""


@pytest.mark.parametrize(("width", "written"), [(79, BROKEN), (100, SHORT)])
def test_new_lines_are_as_long_as_the_formatter_leaves_them(
    command: Command, tmp_path: Path, width: int, written: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(f"[tool.ruff]\nline-length = {width}\n")
    file = tmp_path / "part.py"
    file.write_text(PROGRAM)
    assert command("apply", "part.py").code == 0
    assert file.read_text().endswith(written)
