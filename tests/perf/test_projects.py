"""The table of real projects has the ratios of what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import parsing, projects
from benchmarks.measure import Case, Sample, interleaved

_SAMPLES = {
    projects._OURS: Sample(9.0, 6.0, 2048),
    projects._SYNTAX: Sample(1.0, 2.0, 1),
    projects._TREES: Sample(1.0, 12.0, 1),
    projects._STARTED: Sample(1.0, 4.0, 1),
    projects._RUNNER: Sample(1.0, 24.0, 1),
    projects._RUFF: Sample(1.0, 0.5, 1),
    projects._AGAIN: Sample(1.0, 1.5, 1),
}


def test_the_table_has_ratios_of_cpu_seconds() -> None:
    measured = projects.Measured("cax", 1_234, 5, 67_890, _SAMPLES, 1_234, 67_890)
    section = projects.table([measured], 3)
    row = "| cax | 1,234, 67,890 | 5 | 6.0 s | 3.0x | 0.50x | 0.25x | 12.0x | 1.5 s | 2 MB |"
    assert row in section


def test_what_only_some_files_were_run_for_is_counted_by_lines_and_says_so() -> None:
    measured = projects.Measured("cax", 100, 5, 10_000, _SAMPLES, 7, 1_000)
    # It starts in 4 s, and takes 20 for each of ten times 1,000 lines.
    assert measured.against_runner() == f"~{6 / 204:.2f}x (7 files)"


def test_each_nth_file_of_a_large_project_is_taken(tmp_path: Path) -> None:
    (tmp_path / "all" / "pkg").mkdir(parents=True)
    for n in range(10):
        (tmp_path / "all" / "pkg" / f"m{n}.py").write_text("x = 1\n" * 10)
    assert projects.sampled(tmp_path / "all", tmp_path / "some", 100) == tmp_path / "all"
    some = projects.sampled(tmp_path / "all", tmp_path / "some", 40)
    assert [path.name for path in parsing.sources(some)] == ["m0.py", "m3.py", "m6.py", "m9.py"]


def test_long_runs_are_not_done_again() -> None:
    runs: list[str] = []

    def run(case: Case) -> Sample:
        runs.append(case.name)
        return Sample(1.0, 1.0 if case.name == "short" else 40.0, 1)

    cases = [Case("short", []), Case("long", []), Case("again", [], prepares=True)]
    found = interleaved(cases, 2, long=30.0, run=run)
    assert runs == ["short", "long", "again", "short", "again", "short", "again"]
    assert found.keys() == {"short", "long", "again"}


@pytest.mark.parametrize("by", ["ast", "libcst"])
def test_what_can_be_parsed_is(by: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "good.py").write_text("x = 1\n")
    (tmp_path / "broken.py").write_text("x = (\n")
    parsing.main(by, tmp_path)
    assert capsys.readouterr().out == "1\n"


def test_the_page_has_the_markers() -> None:
    text = projects.PAGE.read_text(encoding="utf-8")
    assert text.index(projects.BEGIN) < text.index(projects.END)
