"""The table of real projects has the ratios of what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import parsing, projects
from benchmarks.measure import Sample


def test_the_table_has_ratios_of_cpu_seconds() -> None:
    samples = {
        projects._OURS: Sample(9.0, 6.0, 2048),
        projects._SYNTAX: Sample(1.0, 2.0, 1),
        projects._TREES: Sample(1.0, 12.0, 1),
        projects._RUNNER: Sample(1.0, 24.0, 1),
        projects._RUFF: Sample(1.0, 0.5, 1),
        projects._AGAIN: Sample(1.0, 1.5, 1),
    }
    section = projects.table([projects.Measured("cax", 1_234, 5, 67_890, samples)], 3)
    row = "| cax | 1,234, 67,890 | 5 | 6.0 s | 3.0x | 0.50x | 0.25x | 12.0x | 1.5 s | 2 MB |"
    assert row in section


@pytest.mark.parametrize("by", ["ast", "libcst"])
def test_what_can_be_parsed_is(by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x = (\n")
    parsing.main(by, tmp_path)
    assert capsys.readouterr().out == "1\n"


def test_the_page_has_the_markers() -> None:
    text = projects.PAGE.read_text(encoding="utf-8")
    assert text.index(projects.BEGIN) < text.index(projects.END)
