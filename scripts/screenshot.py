"""Makes docs/review-page.png: the review page of the sample project, after a check.

    python -m scripts.screenshot

Needs the extras `html` and `dev`, and Chromium.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import ARGUMENTS, chromium
from tests.browser.projects import sample_page

_TARGET = Path(__file__).parents[1] / "docs" / "review-page.png"


def main() -> None:
    """Write the picture."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page_file = sample_page(Path(folder))
        browser = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        page = browser.new_page(viewport={"width": 1280, "height": 700})
        page.goto(f"{page_file.as_uri()}#file=ranker/training.py&line=38")
        page.locator(".piece.current").wait_for()
        page.keyboard.press("e")
        page.wait_for_timeout(300)
        taken = Path(folder) / "page.png"
        page.screenshot(path=taken)
        browser.close()
        shutil.copyfile(taken, _TARGET)
    print(f"{_TARGET}: {_TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
