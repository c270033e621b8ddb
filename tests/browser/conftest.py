"""Review pages in a real Chromium, as reviewers open them: from a file, without any network."""

from __future__ import annotations

import dataclasses
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.browser.projects import sample_page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str | None:
    """The browser of this machine."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The browser of this machine; where it has none, CI fails and others skip.

    It ends with this folder: Playwright keeps an event loop running, beside which the tests of the
    language server could not start theirs.
    """
    found = chromium()
    if found is None:
        reason = f"none of {', '.join(_NAMES)} is installed"
        if os.environ.get("CI") or os.environ.get("NNX_MIGRATE_NEEDS_BROWSER"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGUMENTS)
        yield browser
        browser.close()


@dataclasses.dataclass
class Reader:
    """Somebody who opens pages, and what went wrong meanwhile.

    Args:
        context: a profile of its own, in which storage is empty.
        requests: addresses other than that of the page.
        complaints: dialogs, errors of the script, and what the browser refused to do.
    """

    context: BrowserContext
    requests: list[str] = dataclasses.field(default_factory=list)
    complaints: list[str] = dataclasses.field(default_factory=list)

    def open(self, file: Path, address: str = "") -> Page:
        """Open a page, and wait until its script has put it together."""
        page = self.context.new_page()
        own = file.as_uri()
        page.on("dialog", lambda dialog: self._complain(f"dialog: {dialog.message}"))
        page.on("pageerror", lambda error: self._complain(f"error: {error}"))
        page.on("console", lambda message: self._complain(f"console: {message.text}"))
        page.on("request", lambda request: self._note(request.url, own))
        page.goto(own + address)
        page.wait_for_selector("html[data-ready]")
        return page

    def _complain(self, what: str) -> None:
        self.complaints.append(what)

    def _note(self, url: str, own: str) -> None:
        # The empty icon is a data: address, which needs no network.
        if url.partition("#")[0] != own and not url.startswith("data:,"):
            self.requests.append(url)


def until(page: Page, condition: str) -> None:
    """Wait for a condition of the page; Playwright's own way is one that the page forbids."""
    for _ in range(100):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"never came true: {condition}")


def readers(browser: Browser, scheme: Literal["light", "dark"] = "light") -> Iterator[Reader]:
    """A reader; whatever page it opened asked for nothing and complained of nothing."""
    context = browser.new_context(viewport={"width": 1400, "height": 900}, color_scheme=scheme)
    context.set_default_timeout(15_000)
    reader = Reader(context)
    yield reader
    context.close()
    assert reader.requests == []
    assert reader.complaints == []


@pytest.fixture
def reader(browser: Browser) -> Iterator[Reader]:
    yield from readers(browser)


@pytest.fixture
def dark_reader(browser: Browser) -> Iterator[Reader]:
    yield from readers(browser, "dark")


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of the sample project, with owners, verdicts, and files that cannot be done."""
    return sample_page(tmp_path_factory.mktemp("sample"))
