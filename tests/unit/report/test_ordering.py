"""Which patch needs which: what git would put elsewhere, or refuse, waits for the other."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome, SourceEdit
from nnx_migrate.report.patches.dependencies import needs_of
from nnx_migrate.report.patches.folder import write_patches
from nnx_migrate.report.patches.parts import split
from nnx_migrate.report.patches.patch import render_change
from tests.unit.report.runs import report_of

BLOCK = "def f():\n    a()\n    b()\n    OLD()\n    c()\n    d()\n    e()\n"
FINDINGS = tuple(Finding(f"rule-{n}", 1, 1, Outcome.REWRITTEN, "done") for n in range(3))


def result(before: str, *changes: tuple[int, int, str]) -> FileResult:
    """A file with one edit for each rule; lines and columns do not matter here."""
    edits = tuple(
        SourceEdit(start, end, 1, 1, 1, 1, new, (number,), number)
        for number, (start, end, new) in enumerate(changes)
    )
    after = before
    for start, end, new in reversed(changes):
        after = after[:start] + new + after[end:]
    return FileResult(
        Path("a.py"), FileStatus.CHANGED, before.encode(), after.encode(), FINDINGS, edits=edits
    )


def needs(found: FileResult) -> list[set[int]]:
    return needs_of(split([found], "rule", Path.cwd(), lambda name: (name,)))


def test_changes_far_apart_need_nothing() -> None:
    lines = "".join(f"x{n} = {n}\n" for n in range(60))
    third = lines.index("x30")
    assert needs(result(lines, (0, 0, "import a\n"), (third, third + 3, "y30"))) == [set(), set()]


def test_a_change_in_what_another_shows_comes_first() -> None:
    lines = "".join(f"x{n} = {n}\n" for n in range(60))
    at = [lines.index(name) for name in ("x30", "x33", "x50")]
    changes = [(place, place + 3, f"y{n}") for n, place in enumerate(at)]
    assert needs(result(lines, *changes)) == [set(), {0}, set()]


def test_a_chain_of_neighbours_goes_in_order() -> None:
    lines = "".join(f"x{n} = {n}\n" for n in range(60))
    at = [lines.index(name) for name in ("x30", "x36", "x33")]
    # The second part is out of reach of the first, but not of the third, which is.
    ordered = sorted((place, place + 3, "y = y") for place in at)
    assert needs(result(lines, *ordered)) == [set(), {0}, {0, 1}]


def applied(folder: Path, before: str, *patches: bytes) -> bytes:
    """What git makes of a file with patches, one after the other."""
    (folder / "a.py").write_bytes(before.encode())
    for patch in patches:
        subprocess.run(["git", "apply", "-"], input=patch, cwd=folder, check=True)
    return (folder / "a.py").read_bytes()


def test_code_that_is_there_twice_waits_for_exact_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    before = 5 * BLOCK
    place = before.index("OLD", 2 * len(BLOCK))
    # With the first change made, another block stands where git looks for the one of the second.
    found = result(before, (0, 0, BLOCK.replace("OLD", "a")), (place, place + 3, "a"))
    assert needs(found) == [set(), {0}]
    write_patches(report_of([found]), tmp_path / "out", "rule")
    first, second = (path.read_bytes() for path in sorted((tmp_path / "out").glob("*.patch")))
    assert applied(tmp_path, before, first, second) == found.after
    second_alone = before[:place] + "a" + before[place + 3 :]
    heedless = render_change("a.py", before.encode(), second_alone.encode())
    assert applied(tmp_path, before, first, heedless) != found.after
