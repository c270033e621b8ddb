"""Whatever stands in the user's tree is text: never markup, script, or direction."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Reader
from tests.browser.projects import TRAIN, page_of

MARKUP = (
    "</script><script>window.hacked=1;alert(1)</script><!--<script>"
    "<img src=x onerror=alert(2)><svg onload=alert(3)>]]>{{7*7}}${alert(4)}&lt;b&gt;"
    "<link rel=stylesheet href=http://example.invalid/><iframe src=http://example.invalid/>"
)
UNSEEN = "a\u202eb\u2066c\u200bd\u2028e\x1bf\x7fg\ufeffh\u00a0i\u3164j"
SHOWN = r"a\u202eb\u2066c\u200bd\u2028e\x1bf\x7fg\ufeffh\xa0i\u3164j"


def names_of(text: str) -> str:
    """A file name of a text: without what no file name can hold."""
    return text.replace("/", "|").replace("\0", "")[:200]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile") / "tree"
    root.mkdir()
    (root / ".git").mkdir()
    code = TRAIN.replace("{text}", MARKUP + UNSEEN)
    (root / f"{names_of(MARKUP)}.py").write_text(code)
    (root / f"{UNSEEN}\n.py").write_text(code)
    (root / "quotes\"'&amp;#file=x&line=1.py").write_text(code)
    (root / "bytes\udcff.py").write_text(code)
    (root / "broken.py").write_text(f"from flax import nnx\n{MARKUP}\n")
    folder = root / "<b>folder<"
    folder.mkdir()
    (folder / "code.py").write_text(
        TRAIN.replace("class Net", "class Net").replace("{text}", "ß漢😀")
    )
    (root / "CODEOWNERS").write_text(
        f"* @<script>alert(5)</script>{UNSEEN[:3]}\n", encoding="utf-8"
    )
    return page_of(root)


def walk(page: Page) -> None:
    """Look at everything: all files in both views, all evidence, the manual pages, the printout."""
    page.keyboard.press("e")
    for _ in range(7):
        page.keyboard.press("n")
        page.wait_for_timeout(60)
    page.keyboard.press("s")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()  # keys wait for the steps before them
    page.keyboard.press("Escape")
    page.locator("#summary button.rule").first.click()
    expect(page.locator("#rule")).to_be_visible()
    page.keyboard.press("Escape")
    page.evaluate("window.print = () => {}")
    page.get_by_role("button", name="Print").click()
    page.wait_for_timeout(300)


def test_names_and_code_stay_text(reader: Reader, hostile: Path) -> None:
    page = reader.open(hostile)
    walk(page)
    # That nothing was asked for and nothing popped up, the fixture sees.
    assert page.evaluate("window.hacked") is None
    assert page.locator("img, iframe, main svg:not(.part), main script, b > b").count() == 0
    assert page.locator("script").count() == page.locator("body > script").count()
    text = page.locator("#files").inner_text()
    assert MARKUP in text
    assert SHOWN in text
    assert "ß漢😀" in text
    assert "bytes\\xff.py" in text
    assert "@<script>alert(5)</script>a\\u202eb" in page.locator("#filters").inner_text()
    assert page.locator("#files > section[aria-label^='<b>folder<']").count() == 1


def test_nothing_unseen_reaches_the_screen(reader: Reader, hostile: Path) -> None:
    page = reader.open(hostile)
    walk(page)
    shown = page.locator("body").inner_text() + page.title()
    unseen = re.findall(
        r"[\x00-\x08\x0b-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202e\u2066\ufeff]", shown
    )
    assert unseen == []
    assert page.locator(".t-x").first.inner_text() == "\\u202e"


def test_hostile_names_can_be_linked_to(reader: Reader, hostile: Path) -> None:
    page = reader.open(hostile)
    link = page.locator("#file-list a[title^='quotes']")
    link.click()
    section = page.locator("section.current")
    expect(section).to_have_attribute("aria-label", "quotes\"'&amp;#file=x&line=1.py")
    again = reader.open(hostile, page.url[page.url.index("#") :])
    expect(again.locator("section.current")).to_have_attribute(
        "aria-label", "quotes\"'&amp;#file=x&line=1.py"
    )


def test_an_address_cannot_inject(reader: Reader, hostile: Path) -> None:
    page = reader.open(hostile, "#file=<img src=x onerror=alert(1)>&q=<script>&rule=%22]&line=x")
    expect(page.locator("#count")).to_have_text(
        "There is no <img src=x onerror=alert(1)> in this review."
    )
    assert page.locator("#query").input_value() == "<script>"


def test_the_browser_itself_forbids_scripts_and_requests(hostile: Path) -> None:
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', hostile.read_text())
    assert policy is not None
    parts = dict(part.strip().split(" ", 1) for part in policy[1].split(";"))
    assert parts["default-src"] == "'none'"
    assert re.fullmatch(r"'sha256-[\w+/]{43}='", parts["script-src"])
    assert re.fullmatch(r"'sha256-[\w+/]{43}='", parts["style-src"])
    assert parts["require-trusted-types-for"] == "'script'"
    assert "unsafe" not in policy[1]


def test_encodings_and_newlines_are_shown_right(reader: Reader, tmp_path: Path) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    (root / ".git").mkdir()
    code = TRAIN.replace("{text}", "é")
    (root / "latin.py").write_bytes(b"# coding: latin-1\n" + code.encode("latin-1"))
    (root / "marked.py").write_bytes(b"\xef\xbb\xbf" + code.replace("\n", "\r\n").encode())
    (root / "mixed.py").write_bytes(code.replace("\n", "\r\n", 17).rstrip("\n").encode())
    (root / "old.py").write_bytes(code.replace("\n", "\r").encode())
    page = reader.open(page_of(root))

    def section(name: str) -> str:
        # The files change alike, so that a hunk is shown in full where it is asked for.
        page.evaluate(f"location.hash = '#file={name}&line=17'")
        found = page.locator(f"section[aria-label='{name}']")
        found.locator("tbody tr").first.wait_for()
        text: str = found.inner_text()
        return text

    assert "iso-8859-1" in section("latin.py")
    assert 'note = "é"' in section("latin.py")
    assert "utf-8 with byte order mark, CRLF" in section("marked.py")
    assert "\\r" not in section("marked.py")
    assert "[LF]" in section("mixed.py")
    assert "[no newline at the end]" in section("mixed.py")
    assert "CR" in section("old.py").split("Viewed")[0]
    assert section("old.py").count("def loss_fn") == 2
