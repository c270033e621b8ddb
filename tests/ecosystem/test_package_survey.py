"""The checks of a package survey: each of them sees the fault that it is for."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from migration_tool import Tool, ToolFailed
from package_survey import Package, Survey, survey
from pinned_sources import FLAX

# A stand-in that turns OLD into NEW, with one fault each in the way that `fault` names.
STAND_IN = """
import difflib, json, pathlib, sys
fault, outcome = sys.argv[1], "rewritten"
new = "NEW OLD" if fault == "never done" else "NEW(" if fault == "syntax" else "NEW"
if fault == "crash":
    raise SystemExit(2)
if fault == "outcome":
    outcome = "perhaps"
files, patch = [], ""
for path in sorted(pathlib.Path().rglob("*.py")):
    before = path.read_text()
    after = before.replace("OLD", new)
    if after == before:
        continue
    name = path.as_posix()
    shown = after.replace("NEW", "NOW") if fault == "patch" else after
    patch += "".join(difflib.unified_diff(
        before.splitlines(True), shown.splitlines(True), "a/" + name, "b/" + name))
    if "--diff" not in sys.argv or fault == "diff writes":
        path.write_text(after)
    rule = "internal-error" if fault == "error" else "old"
    finding = {"rule": rule, "line": 1, "outcome": outcome}
    files.append({"path": name, "status": "changed", "reason": "luck", "findings": [finding]})
if fault == "unreported":
    pathlib.Path("other.txt").write_text("written behind the report's back")
sys.stdout.write(patch if "--diff" in sys.argv else json.dumps({"files": files}))
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    (folder / "lib").mkdir(parents=True)
    (folder / "lib" / "a.py").write_text("import nnx\nOLD\n")
    (folder / "lib" / "b.py").write_text("untouched = True\n")
    (folder / "note.txt").write_text("OLD nnx\n")
    return folder


def run(fault: str, source: Path, tmp_path: Path) -> Survey:
    stand_in = tmp_path / "stand_in.py"
    stand_in.write_text(STAND_IN)
    tool = Tool((sys.executable, str(stand_in), fault))
    return survey(Package(FLAX), source, tool, tmp_path)


def test_a_faultless_run_has_no_problem_and_is_counted(source: Path, tmp_path: Path) -> None:
    found = run("none", source, tmp_path)
    assert found.problems == ()
    assert (found.files, found.nnx_files, found.changed) == (2, 1, 1)
    assert found.sites("rewritten") == 1
    assert found.sites("pinned") == 0
    assert (source / "lib" / "a.py").read_text() == "import nnx\nOLD\n"


@pytest.mark.parametrize(
    ("fault", "problem"),
    [
        ("never done", "a second run says that it changed lib/a.py"),
        ("never done", "a second run changed lib/a.py"),
        ("syntax", "lib/a.py does not parse any more"),
        ("outcome", "no outcome: 'perhaps'"),
        ("error", "lib/a.py: internal error: luck"),
        ("patch", "the patch and apply write different bytes into lib/a.py"),
        ("diff writes", "--diff changed lib/a.py"),
        ("unreported", "--diff changed other.txt"),
        ("unreported", "reported as changed ['lib/a.py'], but changed on disk"),
    ],
)
def test_a_fault_is_seen(fault: str, problem: str, source: Path, tmp_path: Path) -> None:
    found = run(fault, source, tmp_path)
    assert any(problem in line for line in found.problems), found.problems


def test_a_crash_is_an_error(source: Path, tmp_path: Path) -> None:
    with pytest.raises(ToolFailed, match="apply ended with 2"):
        run("crash", source, tmp_path)
