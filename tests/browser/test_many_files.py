"""Two thousand changed files cost the page what it shows, not what there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome, SourceEdit
from nnx_migrate.core.totals import count
from nnx_migrate.report.html.page import Review, render_page
from tests.browser.conftest import Reader, until
from tests.browser.test_accessible import violations

MANY, FEW = 2_000, 20


def letters(number: int) -> str:
    """A number as letters: two hunks whose reasons differ in numbers alone are alike."""
    return "".join(chr(ord("a") + int(digit)) for digit in str(number))


def file(number: int, lines: int = 60, *, alike: bool = False) -> FileResult:
    """A file of which three lines change, far from each other.

    Args:
        number: of the file.
        lines: that it has.
        alike: all files give the same reason.
    """
    why = "" if alike else f" ({letters(number)})"
    old = [f"value_{line} = function(argument, {line})\n" for line in range(lines)]
    new = list(old)
    findings, edits = [], []
    for place, line in enumerate((lines // 6, lines // 2, lines - 10)):
        rule = ("module-gradient", "state-axes")[number % 2]
        reason = f"because of {line}{why}{'' if alike else letters(place)}"
        findings.append(Finding(rule, line + 1, 1, Outcome.REWRITTEN, reason))
        new[line] = old[line].replace("function", "changed")
        start = len("".join(old[:line]))
        span = (start, start + len(old[line]), line + 1, 1, line + 1, len(old[line]))
        edits.append(SourceEdit(*span, new[line], (place,), place))
    path = Path(f"package{number % 40:02}/module{number:04}.py")
    before, after = "".join(old).encode(), "".join(new).encode()
    changed = FileStatus.CHANGED
    return FileResult(path, changed, before, after, tuple(findings), edits=tuple(edits))


def page_of(results: list[FileResult], where: Path) -> Path:
    review = Review(
        results, count(results, len(results)), False, Path.cwd(), lambda path: (path[:9],)
    )
    where.write_text(render_page(review))
    return where


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = [file(number) for number in range(MANY)]
    return page_of(results, tmp_path_factory.mktemp("many") / "many.html")


@pytest.fixture(scope="module")
def few(tmp_path_factory: pytest.TempPathFactory) -> Path:
    results = [file(number) for number in range(FEW)]
    return page_of(results, tmp_path_factory.mktemp("few") / "few.html")


def elements(page: Page) -> int:
    found = page.evaluate("document.querySelectorAll('*').length")
    assert isinstance(found, int)
    return found


def heap(page: Page) -> float:
    """The bytes of a page's objects, after the garbage is gone."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(m["value"]) for m in metrics if m["name"] == "JSHeapUsedSize")


def test_the_page_of_many_files_is_small_and_opens_like_that_of_few(
    reader: Reader, many: Path, few: Path
) -> None:
    assert many.stat().st_size < 1_000 * MANY
    large, small = reader.open(many), reader.open(few)
    for page in (large, small):
        page.locator("table.rows").first.wait_for()
    # A hundred times the files; what grows with them is one empty box for each.
    assert elements(large) - MANY < 2 * elements(small)
    assert heap(large) < 12 * heap(small)
    expect(large.locator("#count")).to_have_text("2,000 files of 2,000, 6,000 hunks, 0 viewed")


def test_many_files_are_accessible(browser: Browser, many: Path) -> None:
    # axe has to put its script into a page that allows none.
    context = browser.new_context(viewport={"width": 1400, "height": 2000}, bypass_csp=True)
    page = context.new_page()
    page.goto(many.as_uri())
    page.locator("table.rows").first.wait_for()
    assert violations(page) == []
    context.close()


def test_scrolling_through_them_keeps_no_more_than_is_in_sight(reader: Reader, many: Path) -> None:
    page = reader.open(many)
    page.locator("table.rows").first.wait_for()
    before = elements(page)
    for _ in range(40):
        page.mouse.wheel(0, 4_000)
        page.wait_for_timeout(10)
    page.wait_for_timeout(200)
    assert page.evaluate("scrollY") > 100_000
    assert page.locator("section.mounted").count() < 20
    assert elements(page) < 2 * before
    # Nothing jumps: what is at the top stays there while more is made around it.
    top = "document.elementFromPoint(700, 200).closest('section').id"
    until(page, "!!document.elementFromPoint(700, 200)?.closest('section')")
    first = page.evaluate(top)
    page.wait_for_timeout(200)
    assert page.evaluate(top) == first


def test_the_last_of_many_files_is_one_step_away(reader: Reader, many: Path) -> None:
    page = reader.open(many, "#file=package39/module1999.py&line=51")
    expect(page.locator(".piece.current")).to_contain_text("because of 50")
    box = page.locator(".piece.current").bounding_box()
    assert box is not None
    assert 0 < box["y"] < 900
    page.keyboard.press("k")
    expect(page.locator(".piece.current")).to_contain_text("because of 30")
    # The list of files has all of them, and makes those in sight.
    rows = page.locator("#file-list li")
    assert rows.count() < 80
    assert rows.first.get_attribute("aria-setsize") == "2040"
    page.locator("#file-list").evaluate("list => list.scrollTo(0, list.scrollHeight)")
    expect(page.locator("#file-list li").last).to_contain_text("module1999.py")


def test_what_no_browser_can_hold_is_shown_in_parts(reader: Reader, many: Path) -> None:
    cut = many.with_name("cut.html")
    cut.write_text(many.read_text().replace('most-height="12000000"', 'most-height="100000"'))
    page = reader.open(cut)
    expect(page.locator("#part-text")).to_contain_text("Files 1 to ")
    first = page.locator("#files > section").count()
    assert 50 < first < 500
    page.get_by_role("button", name="Next files").click()
    expect(page.locator("#part-text")).to_contain_text(f"Files {first + 1} to ")
    # Going on from the last file of a part leads to the next one, and a link to any.
    page.evaluate("location.hash = '#file=package39/module1999.py'")
    expect(page.locator("section.current")).to_have_attribute(
        "aria-label", "package39/module1999.py"
    )
    expect(page.locator("#part-text")).to_contain_text("to 2000 of 2000")
    expect(page.get_by_role("button", name="Next files")).to_be_disabled()
    page.evaluate("location.hash = '#file=package00/module0000.py'")
    expect(page.locator("section.current")).to_have_attribute(
        "aria-label", "package00/module0000.py"
    )
    page.keyboard.press("p")
    expect(page.locator("section.current")).to_have_attribute(
        "aria-label", "package00/module0000.py"
    )
    expect(page.locator("#file-list li[aria-current]")).to_contain_text("module0000.py")


def test_what_is_alike_is_reviewed_once(reader: Reader, tmp_path: Path) -> None:
    results = [file(number, alike=True) for number in range(MANY)]
    page = reader.open(page_of(results, tmp_path / "alike.html"))
    # Two rules, so two reasons; each is shown once, and the others are a line each.
    page.locator("table.rows").first.wait_for()
    expect(page.locator(".alike").first).to_contain_text("2,999 other hunks in 1,000 files")
    assert page.locator("table.rows").count() == 2
    expect(page.locator(".piece.folded .why").first).to_contain_text("Same change and reason as")
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.locator("#progress")).to_have_attribute("value", "3000")
    expect(page.locator("#count")).to_contain_text("1,000 viewed")
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.locator("#progress")).to_have_attribute("value", "6000")
    expect(page.locator("#file-list li.done")).to_have_count(page.locator("#file-list li").count())
    again = reader.open(tmp_path / "alike.html", "#file=package07/module0007.py")
    expect(again.locator("#count")).to_contain_text("2,000 viewed")


def test_code_and_messages_of_all_files_are_searched(reader: Reader, many: Path) -> None:
    page = reader.open(many)
    page.locator("#query").fill(f"({letters(1234)})b")
    expect(page.locator("#count")).to_have_text("1 file of 2,000, 1 hunk, 0 viewed")
    expect(page.locator(".piece")).to_contain_text("because of 30")
    page.locator("#query").fill("value_50 changed module0777")
    expect(page.locator("#count")).to_have_text("1 file of 2,000, 1 hunk, 0 viewed")
    expect(page.locator(".piece h3")).to_have_text("Line 51")


def test_filters_are_as_quick(reader: Reader, many: Path) -> None:
    page = reader.open(many)
    page.get_by_role("checkbox", name="state-axes").check()
    expect(page.locator("#count")).to_contain_text("1,000 files of 2,000")
    page.locator("#query").fill("module0101")
    expect(page.locator("#count")).to_contain_text("1 file of 2,000, 3 hunks")
    expect(page.locator(".piece")).to_have_count(3)


def test_a_huge_file_and_a_huge_line_are_shown_in_parts(reader: Reader, tmp_path: Path) -> None:
    old = "\n".join(f"x = {n}" for n in range(6_000)).encode()
    new = "\n".join(f"y = {n}" for n in range(6_000)).encode()
    long = b"x = '" + b"a" * 1_000_000 + b"'\n", b"x = '" + b"a" * 999_990 + b"b" * 10 + b"'\n"
    finding = Finding("module-gradient", 1, 1, Outcome.REWRITTEN, "all of it")
    edit = SourceEdit(0, len(old), 1, 1, 6_000, 1, new.decode(), (0,), 0)
    results = [
        FileResult(Path("huge.py"), FileStatus.CHANGED, old, new, (finding,), edits=(edit,)),
        FileResult(Path("long.py"), FileStatus.CHANGED, *long, (finding,), edits=(edit,)),
    ]
    page = reader.open(page_of(results, tmp_path / "huge.html"))
    page.locator("table.rows").first.wait_for()
    assert page.locator("tr").count() < 2_000
    page.evaluate("scrollTo(0, document.querySelector('#file-0').offsetHeight / 2)")
    expect(page.locator("td.code", has_text="y = 30").first).to_be_attached()
    assert page.locator("tr").count() < 2_000
    page.evaluate("location.hash = '#file=long.py'")
    cells = page.locator("section[aria-label='long.py'] td.code")
    expect(cells.last).to_contain_text("b" * 10)
    expect(cells.last).to_contain_text("characters before]")
    assert len(cells.last.inner_text()) < 2_500
