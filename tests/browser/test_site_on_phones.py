"""The documentation site at the width of a phone: a long page begins as a list of its sections."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.test_accessible import violations

pytest.importorskip("zensical")
ROOT = Path(__file__).parents[2]
_LONG = ("json", "outcomes", "command-line", "semantics", "check-bed", "check")
_HEIGHT = 844
_PAST_THE_EDGE = """() => [...document.querySelectorAll(".md-content *")].filter((each) => {
  const scrolls = (box) => box.matches(".md-content") ? false
    : /auto|scroll|hidden/.test(getComputedStyle(box).overflowX) || scrolls(box.parentElement);
  return each.getBoundingClientRect().right > innerWidth + 1 && !scrolls(each.parentElement);
}).map((each) => each.outerHTML.slice(0, 80))"""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, str(ROOT / "scripts" / "site.py"), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder / "site"


@pytest.fixture
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(
        viewport={"width": 390, "height": _HEIGHT}, has_touch=True, is_mobile=True, bypass_csp=True
    )
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("name", _LONG)
def test_a_long_page_is_a_list_of_sections(site: Path, phone: Page, name: str) -> None:
    phone.goto((site / name / "index.html").as_uri())
    phone.locator("details.fold").first.wait_for()
    assert phone.evaluate("document.documentElement.scrollHeight") < 4 * _HEIGHT
    assert phone.evaluate(_PAST_THE_EDGE) == []
    before = phone.evaluate("document.querySelector('.md-content').innerText.length")
    phone.locator("details.fold > summary").first.tap()
    assert phone.evaluate("document.querySelector('.md-content').innerText.length") > before
    assert phone.evaluate(_PAST_THE_EDGE) == []


def test_a_link_into_a_section_unfolds_it(site: Path, phone: Page) -> None:
    page = (site / "semantics" / "index.html").as_uri()
    phone.goto(f"{page}#scn-1")
    phone.get_by_text("What nnx.scan broadcasts with None is carried").wait_for()
    assert not phone.locator("#sow-1").locator("xpath=../following-sibling::*").first.is_visible()
    phone.evaluate("location.hash = '#sow-1'")
    phone.wait_for_function("document.getElementById('sow-1').closest('details').open")


def test_a_folded_page_is_accessible(site: Path, phone: Page) -> None:
    phone.goto((site / "outcomes" / "index.html").as_uri())
    phone.locator("details.fold").first.wait_for()
    assert violations(phone) == []


def test_wide_screens_and_short_pages_show_everything(
    site: Path, browser: Browser, phone: Page
) -> None:
    phone.goto((site / "tutorial" / "index.html").as_uri())
    assert phone.locator("details.fold").count() == 0
    wide = browser.new_page(viewport={"width": 1200, "height": 900})
    wide.goto((site / "semantics" / "index.html").as_uri())
    assert wide.locator("details.fold").count() == 0
    wide.close()
