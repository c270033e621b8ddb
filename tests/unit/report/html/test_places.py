"""Every hunk says which findings it goes with, and every finding is told once."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest

from nnx_migrate.engine import run as engine
from nnx_migrate.report.html.file_pages import file_page
from nnx_migrate.report.html.lines import split_lines
from nnx_migrate.report.html.scopes import unit_at
from nnx_migrate.sources.configuration import Configuration

GOLDEN = Path(__file__).parents[4] / "golden"
RULES = ["module-gradient", "state-axes", "captured-module", "shared-reference"]


def old_lines(piece: dict[str, Any]) -> range:
    """The old lines that a hunk shows, or would if it is asked to."""
    size = sum(len(row) == 1 or row[0] != 0 for row in piece["rows"])
    start = piece["old"] - len(piece["above"])
    return range(start, piece["old"] + size + len(piece["below"]))


@pytest.mark.parametrize("rule", RULES)
def test_every_hunk_has_its_findings(rule: str) -> None:
    cases = sorted(path.parent for path in (GOLDEN / rule).glob("*/before.py"))[:12]
    results = engine.run([case / "before.py" for case in cases], Configuration(), write=None)
    hunks = 0
    for result in results.results:
        body = file_page(result, result.path.name, None, lambda path, line: []).body
        pieces = [piece for piece in body["pieces"] if piece["new"]]
        told = [number for piece in body["pieces"] for number in piece["own"]] + body["alone"]
        assert sorted(told) == list(range(len(result.findings)))
        assert all(a.stop <= b.start for a, b in itertools.pairwise(map(old_lines, pieces)))
        for piece in pieces:
            hunks += 1
            assert piece["own"] or piece["follows"], result.path
    assert hunks > 3


CODE = """\
import jax

class Net:
  size = 1
  @property
  def width(
    self,
  ):
    if self.size:
      def inner():
        return 1
    return 2

@jax.jit
@other(
  1,
)
def step(x):
  return x
x = 1
"""


@pytest.mark.parametrize(
    ("line", "unit"),
    [
        (1, ""),
        (4, "Net"),
        (5, "Net.width"),
        (7, "Net.width"),
        (11, "Net.width"),
        (12, "Net.width"),
        (14, "step"),
        (19, "step"),
        (20, ""),
        (99, ""),
    ],
)
def test_the_function_of_a_line_is_read_off_the_indentation(line: int, unit: str) -> None:
    assert unit_at(split_lines(CODE), line - 1) == unit
