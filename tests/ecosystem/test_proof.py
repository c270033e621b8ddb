"""The runs behind docs/proof.md: what counts as restored, and that a run cannot go on forever."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest
from marked_text import markdown_table, replace_marked
from proof_projects import TestSuite
from proof_runs import Defaults, ScriptRun, run_suite

PYTHON = Path(sys.executable)
SUITE = """
import os, subprocess, sys, time
import pytest
from library import ANSWER

def test_passes_in_graph_mode():
    assert "NNX_GRAPH_MODE" not in os.environ and "NNX_GRAPH_UPDATES" not in os.environ

def test_passes_in_tree_mode():
    assert os.environ["NNX_GRAPH_MODE"] == os.environ["NNX_GRAPH_UPDATES"] == "false"

@pytest.mark.parametrize("x", [1, 2])
def test_answer(x):
    assert ANSWER == 42

@pytest.fixture
def broken():
    raise OSError

def test_error(broken): ...

@pytest.mark.skip
def test_skipped(): ...
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "library.py").write_text("ANSWER = 42\n")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(SUITE)
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\naddopts = "--no-such"\n')
    return tmp_path


@pytest.mark.parametrize(
    ("defaults", "passes"), [(Defaults.GRAPH, "graph"), (Defaults.TREE, "tree")]
)
def test_every_test_has_its_outcome_under_the_wanted_defaults(
    project: Path, monkeypatch: pytest.MonkeyPatch, defaults: Defaults, passes: str
) -> None:
    monkeypatch.setenv("NNX_GRAPH_MODE", "true")
    run = run_suite(PYTHON, project, "src", ["tests"], defaults, seconds=60)
    assert str(run) == "3 passed, 1 failed, 1 error, 1 skipped"
    names = {name.partition("::")[2] for name in run.passed}
    assert names == {"test_answer[1]", "test_answer[2]", f"test_passes_in_{passes}_mode"}


def test_a_suite_takes_the_files_of_a_pattern_and_the_tests_of_a_name(project: Path) -> None:
    for name in ("test_other.py", "test_it_too.py"):
        (project / "tests" / name).write_text("def test_one(): ...\ndef test_another(): ...\n")
    suite = TestSuite("it", "", ("tests/test_it*.py", "tests/test_gone.py"), "src", ())
    found = suite.found_in(project)
    assert found == ("tests/test_it.py", "tests/test_it_too.py", "tests/test_gone.py")
    given = [*found[:2], "-k", "answer or another"]
    assert len(run_suite(PYTHON, project, "src", given, Defaults.GRAPH, seconds=60).passed) == 3


def test_a_suite_that_cannot_start_says_so(project: Path) -> None:
    run = run_suite(PYTHON, project, "src", ["no_such_folder"], Defaults.GRAPH, seconds=60)
    assert str(run) == "ends with status 4"
    assert not run.passed


def test_a_suite_that_hangs_is_stopped_with_its_children(project: Path) -> None:
    mark = project / "alive"
    (project / "tests" / "test_it.py").write_text(
        "import subprocess, sys, time\n"
        "def test_hangs():\n"
        "    code = 'import sys, time; time.sleep(4); open(sys.argv[1], \"w\")'\n"
        f"    subprocess.Popen([sys.executable, '-c', code, {str(mark)!r}])\n"
        "    time.sleep(60)\n"
    )
    start = time.monotonic()
    run = run_suite(PYTHON, project, "src", ["tests"], Defaults.GRAPH, seconds=2)
    assert str(run) == "stopped after 2 s"
    time.sleep(max(0.0, start + 5 - time.monotonic()))
    assert not mark.exists()


FIRST = ScriptRun("", "loss 0.5 at step 3\n", {"model": "['w']: float32() 1.25"})


@pytest.mark.parametrize(
    ("output", "state", "same"),
    [
        ("loss 0.5 at step 3\n", {"model": "['w']: float32() 1.25"}, True),
        ("loss 0.50001 at step 3\n", {"model": "['w']: float32() 1.250001"}, True),
        ("loss 0.5 at step 3\n", {"model": "['w']: float32() 1.25", "graphdef": "new"}, True),
        ("loss 0.51 at step 3\n", {"model": "['w']: float32() 1.25"}, False),
        ("loss nan at step 3\n", {"model": "['w']: float32() 1.25"}, False),
        ("loss 0.5 at step 4\n", {"model": "['w']: float32() 1.25"}, False),
        ("loss 0.5 at step 3\n", {"model": "['w']: float32() 1.26"}, False),
        ("loss 0.5 at step 3\n", {"model": "['v']: float32() 1.25"}, False),
        ("loss 0.5 at step 3\n", {}, False),
    ],
)
def test_a_script_matches_when_it_prints_and_leaves_the_same(
    output: str, state: dict[str, str], same: bool
) -> None:
    assert (not ScriptRun("", output, state).differences(FIRST)) is same


def test_a_difference_names_where_it_is_and_shows_the_first_line_of_it() -> None:
    other = ScriptRun("", FIRST.output, {"model": "['v']: int32() 3\n['w']: float32() 1.25"})
    assert other.differences(FIRST) == {
        "model": "`['v']: int32() 3` instead of `['w']: float32() 1.25`"
    }


def test_a_marked_part_is_replaced_and_nothing_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- written by s: begin -->\nold\n<!-- written by s: end -->\nb\n")
    for _ in range(2):
        replace_marked(page, "s", markdown_table(("x", "#n"), [("y", 1)]))
    assert page.read_text() == (
        "a\n<!-- written by s: begin -->\n| x | n |\n|---|--:|\n| y | 1 |\n"
        "<!-- written by s: end -->\nb\n"
    )
    page.write_text("no marks\n")
    with pytest.raises(ValueError, match="needs one"):
        replace_marked(page, "s", "text")
