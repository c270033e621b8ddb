"""The pull-request comment: what comes from the user stays text, and it is never too long."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from typer.testing import CliRunner

from nnx_migrate.cli.app import app
from nnx_migrate.core.findings import FileResult, FileStatus, Finding, Outcome
from nnx_migrate.report.formats import render
from nnx_migrate.report.levels import Report, told
from nnx_migrate.report.manuals import manual_of, rule_descriptor
from nnx_migrate.report.markdown import by_cause
from nnx_migrate.report.markdown_text import code
from nnx_migrate.report.patches.parts import FilePart, Part
from nnx_migrate.report.patches.pull_request import by_file, pull_request
from nnx_migrate.report.text import printable
from nnx_migrate.rewrite.model.registry import rule_entries
from tests.unit.report.runs import NASTY, nasty_run, real_run, report_of

OURS = {"h2", "h3", "p", "strong", "ul", "li", "code", "details", "summary"} | {
    "table", "thead", "tbody", "tr", "th", "td"
}  # fmt: skip


class Page(HTMLParser):
    """The elements of a page, its text outside of code, and the text of each code element."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.outside = ""
        self.codes: list[str] = []
        self._in_code = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        self.attributes += [pair for pair in attrs if pair[0] != "style"]
        if tag == "code":
            self._in_code = True
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        self._in_code = self._in_code and tag != "code"

    def handle_data(self, data: str) -> None:
        if self._in_code:
            self.codes[-1] += data
        else:
            self.outside += data


def page(markdown: str) -> Page:
    return Page(MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(markdown))


@settings(max_examples=400, derandomize=True, deadline=None, database=None)
@given(st.text("`| <>&@#\\\n\r\t*_[]()!~a-.:/\u200b\u2028é", min_size=1, max_size=12))
def test_a_code_span_shows_the_text_and_nothing_else(text: str) -> None:
    found = page(f"- {code(text)} x")
    assert found.elements <= {"ul", "li", "code"}
    assert found.codes == [printable(text)]


@settings(max_examples=100, derandomize=True, deadline=None, database=None)
@given(st.text("`| <>&@#\\\n\r*_[]()!~a-.:", min_size=1, max_size=12) | st.just(NASTY))
def test_nothing_of_the_user_becomes_markup(text: str) -> None:
    found = page(render("markdown", nasty_run(text)))
    assert found.elements <= OURS
    assert not found.attributes
    assert not set("@#<>[]`") & set(found.outside)
    assert printable(text) in found.codes


def test_the_summary_has_what_a_reviewer_asks_first() -> None:
    text = render("markdown", real_run())
    assert text.startswith("<!-- nnx-migrate -->\n## nnx-migrate\n")
    found = page(text)
    assert found.elements <= OURS
    assert "files would change" in found.outside
    assert "Work is left." in found.outside
    assert "1 skipped, 1 failed, 1 reverted" in found.outside
    assert "module-gradient" in found.codes
    assert "a comment lost" in found.codes
    assert "there is no such file" in found.codes


def run_of_causes(number: int, places: int = 1) -> Report:
    """A run with pins and manual sites for so many reasons, each of them at so many places."""
    outcomes = (Outcome.MANUAL, Outcome.PINNED)
    results = []
    for cause in range(number):
        reason = "😀" * 300 + "".join(chr(ord("a") + int(digit)) for digit in str(cause))
        findings = tuple(
            Finding("state-axes", line, 4, outcome, f"{outcome}: {reason}", ways_out=("do it",))
            for outcome in outcomes
            for line in range(1, places + 1)
        )
        path = Path(f"src/{cause}.py")
        results.append(FileResult(path, FileStatus.UNCHANGED, b"", b"", findings))
    return report_of(results)


def test_a_cause_is_said_once_with_its_places_and_the_way_out() -> None:
    text = render("markdown", run_of_causes(2, places=12))
    lines = [line for line in text.splitlines() if line.startswith("- ")]
    assert len(lines) == 2 * 2
    assert all("`state-axes` " in line and ", 12 places: `" in line for line in lines)
    assert all(line.count("`src/") == 10 and line.endswith(" and 2 more") for line in lines)
    assert all(" Way out: `do it`. " in line for line in lines)
    assert "<summary>Would change: 24, by cause</summary>" in text


def test_the_text_of_a_pull_request_says_a_cause_once() -> None:
    first, *others = by_cause(told(run_of_causes(1, places=3)), report_of([]))
    assert len(others) == 1
    assert first.endswith("`src/0.py:1`, `src/0.py:2`, `src/0.py:3`")


#: Codes of entries that only our own pages explain.
_CODES = re.compile(r"semantics\.md|\b[A-Z]{3}-[\dA-Z]+\b")


@pytest.mark.parametrize("rule", sorted(rule_entries()))
def test_a_manual_page_explains_itself(rule: str) -> None:
    """In SARIF, under the mouse in an editor, on the review page, in the terminal."""
    assert _CODES.search(manual_of(rule)) is None
    assert _CODES.search(str(rule_descriptor(rule))) is None
    shown = CliRunner().invoke(app, ["rule", rule])
    assert shown.exit_code == 0
    assert _CODES.search(shown.stdout) is None
    assert "What it finds" in shown.stdout


@pytest.mark.parametrize("rule", sorted(rule_entries()))
def test_a_pull_request_explains_itself(rule: str) -> None:
    """Its readers know nothing of our pages; they see an example of each rule."""
    finding = Finding(rule, 3, 4, Outcome.REWRITTEN, "done")
    result = FileResult(Path("src/a.py"), FileStatus.CHANGED, b"", b"x", (finding,))
    report = report_of([result])
    part = Part((rule,), {"src/a.py": FilePart(result)})
    text = pull_request(part, "1.patch", (), report, by_file(told(report)))
    assert f"`{rule}` (1 rewritten): " in text
    assert not _CODES.search(text)
    html = MarkdownIt("commonmark").render(text)
    before, after = (html.index(f"<p>{title}:</p>") for title in ("Before", "After"))
    assert "<pre><code>" in html[before:after]
    assert "<pre><code>" in html[after:]


def test_a_long_run_is_cut_and_says_so() -> None:
    text = render("markdown", run_of_causes(400))
    assert len(text.encode("utf-16-le")) // 2 < 65_536
    assert text.count("did not fit here") == 2
    assert page(text).elements <= OURS
    assert text.rstrip().endswith("</details>")
    shown = text.count("\n- ")
    cut = sum(int(n.replace(",", "")) for n in re.findall(r"([\d,]+) more did not fit", text))
    assert shown > 20
    # Each copy has a manual site and a pin.
    assert shown + cut == 2 * 400
