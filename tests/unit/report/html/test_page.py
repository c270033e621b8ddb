"""The page is one file that holds together: its script, its data, and what is left to a person."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.core.totals import RunResult, count
from nnx_migrate.report.html.checks import Checks
from nnx_migrate.report.html.file_pages import file_page
from nnx_migrate.report.html.page import Review, page_script, render_page
from nnx_migrate.report.html.writing import review_of
from nnx_migrate.sources.configuration import Configuration

SCRIPTS = files("nnx_migrate.report.html").joinpath("scripts")
MANUAL = Finding("state-axes", 3, 1, Outcome.MANUAL, "nobody knows")


def test_the_scripts_take_from_each_other_what_there_is() -> None:
    sources = {
        each.name: each.read_text() for each in SCRIPTS.iterdir() if each.name.endswith(".js")
    }
    defined = {
        name: set(re.findall(r"^export (?:async )?(?:function|const|let) (\w+)", text, re.M))
        for name, text in sources.items()
    }
    imports = [
        (taken.strip(), source)
        for text in sources.values()
        for names, source in re.findall(r'^import \{([^}]*)\} from "\./(\w+\.js)";$', text, re.M)
        for taken in names.split(",")
        if taken.strip()
    ]
    assert len(imports) > 20
    assert [each for each in imports if each[0] not in defined[each[1]]] == []
    joined = page_script()
    assert not re.search(r"^(import|export)\b", joined, re.M)
    names = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", joined, re.M)
    assert len(names) == len(set(names))


def test_nothing_of_the_page_ends_its_own_script_or_style() -> None:
    script = page_script()
    style = files("nnx_migrate.report.html").joinpath("style.css").read_text()
    for text in (script, style):
        assert "</" not in text
        assert "<!--" not in text
    # Ways to make markup of text, or code.
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacent", "document.write", "eval("):
        assert forbidden not in script
    assert not re.search(r"https?://|@import|url\(", script + style)


def test_the_same_run_gives_the_same_page(tmp_path: Path) -> None:
    result = FileResult(tmp_path / "a.py", FileStatus.CHANGED, b"x = 1\n", b"x = 2\n", (MANUAL,))
    totals = count([result], 1)
    review = Review([result], totals, False, tmp_path, lambda path: ("@me",))
    assert render_page(review) == render_page(review)
    assert render_page(review).count("<script") == 3


def test_what_is_left_is_shown_with_the_code_around_it(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_text("one\ntwo\nthree\nfour\n")
    result = FileResult(path, FileStatus.UNCHANGED, b"", b"", (MANUAL,))
    page = file_page(result, "a.py", None, lambda path, line: [])
    (piece,) = page.body["pieces"]
    assert piece["rows"] == [["one"], ["two"], ["three"], ["four"]]
    assert (piece["own"], piece["new"]) == ([0], 0)
    assert page.entry["todo"] == [[3, "state-axes", "nobody knows", "3"]]
    path.unlink()
    assert file_page(result, "a.py", None, lambda path, line: []).body["alone"] == [0]


def test_owners_that_cannot_be_told_are_a_note(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    path = tmp_path / "a.py"
    result = FileResult(path, FileStatus.CHANGED, b"x = 1\n", b"x = 2\n", (MANUAL,))
    run = RunResult((result,), count([result], 1))
    review = review_of(run, written=False)
    assert review.owners("a.py") == ()
    assert list(review.notes) == []
    (tmp_path / "CODEOWNERS").write_text("* @me\n")
    assert review_of(run, written=False).owners("a.py") == ("@me",)
    (tmp_path / "CODEOWNERS").write_bytes(b"* @\xff\n")
    review = review_of(run, written=False)
    assert review.owners("a.py") == ()
    assert "The owners of files are unknown" in review.notes[0]
    assert "The owners of files are unknown" in render_page(review)


def test_failed_files_are_work_too(tmp_path: Path) -> None:
    reason = "a comment was lost"
    result = FileResult(tmp_path / "a.py", FileStatus.REVERTED, b"", b"", (), reason)
    page = file_page(result, "a.py", None, lambda path, line: [])
    assert page.entry["todo"] == [[0, "", reason, ""]]
    assert page.body["reason"] == reason


def test_the_weakest_verdict_counts(tmp_path: Path) -> None:
    def case(name: str, verdict: str) -> dict[str, object]:
        return {"name": name, "verdict": verdict, "files": {"new": ["src/a.py"]}, "columns": {}}

    cases = [case("src/a.py:f#1", "proved"), case("src/a.py:g#1", "different"), case("x", "close")]
    back = [str(tmp_path / "src" / "a.py")]
    nothing: dict[str, list[str]] = {
        name: [] for name in ("remarks", "unchecked", "not_put_back", "branches_not_taken")
    }
    checks = Checks({"cases": cases, "put_back": back, **nothing}, tmp_path)
    path = tmp_path / "src" / "a.py"
    assert checks.of_place(path, "f") == [0]
    assert checks.of_place(path, "") == [0, 1, 2]
    assert checks.of_place(tmp_path / "src" / "b.py", "f") == []
    assert checks.of_place(tmp_path.parent / "b.py", "f") == []
    assert checks.verdict([0, 2]) == "close"
    assert checks.verdict([0, 1, 2]) == "different"
    assert checks.verdict([]) == "not run"
    result = FileResult(path, FileStatus.CHANGED, b"x = 1\n", b"x = 2\n")
    assert file_page(result, "a", checks, lambda path, line: []).entry["status"] == "put back"


def test_files_of_a_check_are_found_by_the_configuration_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    named = tmp_path / "conf/check.toml"
    named.parent.mkdir()
    named.write_text('[check]\ncases = ["cases.py"]\n')
    path = tmp_path / "src/a.py"
    result = FileResult(path, FileStatus.CHANGED, b"x = 1\n", b"x = 2\n", (MANUAL,))
    run = RunResult((result,), count([result], 1))
    case = {"name": "a", "verdict": "equal", "files": {"old": ["src/a.py"]}, "columns": {}}
    told: dict[str, list[str]] = {
        key: []
        for key in ("branches_not_taken", "unchecked", "remarks", "not_put_back", "put_back")
    }
    check = {"cases": [case], **told}
    review = review_of(run, written=True, check=check, configuration=Configuration(file=named))
    assert review.checks is not None
    assert review.checks.of_place(path, "") == [0]
