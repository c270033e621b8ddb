"""The page under axe-core, light and dark, in both views, with everything open."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page


def violations(page: Page) -> list[str]:
    """What axe finds, with the first element of each kind."""
    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_in_the_way_of_assistive_technology(
    browser: Browser, sample: Path, scheme: str
) -> None:
    dark = scheme == "dark"
    # axe has to put its script into a page that allows none.
    context = browser.new_context(
        viewport={"width": 1400, "height": 4000},
        color_scheme="dark" if dark else "light",
        bypass_csp=True,
    )
    page = context.new_page()
    page.goto(sample.as_uri())
    page.locator("section[aria-label='ranker/training.py'] table").first.wait_for()
    page.keyboard.press("e")
    assert violations(page) == []
    page.keyboard.press("s")
    page.locator("table.inline").first.wait_for()
    page.keyboard.press("?")
    assert violations(page) == []
    context.close()


def test_the_order_of_focus_is_that_of_the_page(browser: Browser, sample: Path) -> None:
    page = browser.new_page(viewport={"width": 1400, "height": 900})
    page.goto(sample.as_uri())
    page.wait_for_selector("html[data-ready]")
    order = []
    for _ in range(8):
        page.keyboard.press("Tab")
        order.append(page.evaluate("document.activeElement.innerText || document.activeElement.id"))
    assert order[0] == "Skip to the changes"
    assert order[1:6] == ["Side by side", "Inline", "Dark", "Print", "Review"]
    assert order[6:8] == ["Keys", "query"]
    landmarks = page.evaluate(
        "['header', 'form[role=search]', 'nav[aria-label]', 'main']"
        ".map(each => document.querySelectorAll(each).length > 0)"
    )
    assert landmarks == [True] * 4
    page.close()
